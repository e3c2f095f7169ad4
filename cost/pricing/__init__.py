"""What prices use: lines, assumptions, amounts, regions, transfer."""
