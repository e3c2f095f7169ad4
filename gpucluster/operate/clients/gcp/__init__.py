"""Google Cloud by googleapiclient, with its bundled discovery documents."""
