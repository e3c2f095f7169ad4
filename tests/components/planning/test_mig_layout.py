"""What a GPU can be cut into, and what is said of what it can't."""

from __future__ import annotations

import itertools

import pytest

from gpucluster.components.planning.mig_layout import Kind, Layout, layout_of, layout_problem

# What `nvidia-smi mig -lgipp` prints on H100, H100 NVL and A100: first memory slice of each place, and how many it has.
PLACES = {
    Kind(1, 1): ((0, 1, 2, 3, 4, 5, 6), 1),
    Kind(1, 2): ((0, 2, 4, 6), 2),
    Kind(2, 2): ((0, 2, 4), 2),
    Kind(3, 4): ((0, 4), 4),
    Kind(4, 4): ((0,), 4),
    Kind(7, 8): ((0,), 8),
}
# NVIDIA Multi-Instance GPU user guide, "Supported MIG profiles", and of B300 aws/sagemaker-hyperpod-cli pull request
# 403: size -> how many of it a GPU holds.
PROFILES = {
    "h100": {"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1, "7g.80gb": 1},
    "h100-nvl": {"1g.12gb": 7, "1g.24gb": 4, "2g.24gb": 3, "3g.47gb": 2, "4g.47gb": 1, "7g.94gb": 1},
    "h200": {"1g.18gb": 7, "1g.35gb": 4, "2g.35gb": 3, "3g.71gb": 2, "4g.71gb": 1, "7g.141gb": 1},
    "b200": {"1g.23gb": 7, "1g.45gb": 4, "2g.45gb": 3, "3g.90gb": 2, "4g.90gb": 1, "7g.180gb": 1},
    "b300": {"1g.34gb": 7, "1g.67gb": 4, "2g.67gb": 3, "3g.135gb": 2, "4g.135gb": 1, "7g.269gb": 1},
    "a100-80gb": {"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1, "7g.80gb": 1},
    "a100-40gb": {"1g.5gb": 7, "1g.10gb": 4, "2g.10gb": 3, "3g.20gb": 2, "4g.20gb": 1, "7g.40gb": 1},
}


def fits(kinds: list[Kind], taken: int = 0) -> bool:
    """Whether each finds a place beside the others."""
    if not kinds:
        return True
    starts, size = PLACES[kinds[0]]
    masks = (((1 << size) - 1) << start for start in starts)
    return any(not taken & mask and fits(kinds[1:], taken | mask) for mask in masks)


def test_what_is_taken_is_what_finds_a_place_and_nothing_else() -> None:
    """Every mixture there could be, the impossible ones among them."""
    sizes = {kind: kind.size("h100") for kind in PLACES}
    seen = 0
    for counts in itertools.product(range(9), range(6), range(5), range(4), range(3), range(3)):
        kinds = [kind for kind, count in zip(PLACES, counts, strict=True) for _ in range(count)]
        if 0 < len(kinds) <= 9:
            text = "+".join(f"{count}x{sizes[kind]}" for kind, count in zip(PLACES, counts, strict=True) if count)
            assert (layout_problem(text, "h100") is None) == fits(kinds[::-1]), text
            seen += 1
    assert seen == 2556


@pytest.mark.parametrize("gpu", PROFILES)
def test_each_gpu_has_the_profiles_of_the_guide_as_often_as_it_holds_them(gpu: str) -> None:
    assert {kind.size(gpu): kind.most for kind in PLACES} == PROFILES[gpu]
    for size, count in PROFILES[gpu].items():
        layout = layout_of(f"all-{size}", gpu)
        assert (layout.sizes(gpu), layout.name(gpu), layout.known) == ({size: count}, f"all-{size}", True)
        assert layout_of(f"{count}x{size}", gpu) == layout


@pytest.mark.parametrize(
    ("text", "sizes", "strategy", "name", "unused"),
    [
        ("7x1g.10gb", {"1g.10gb": 7}, "single", "all-1g.10gb", (0, 1)),
        ("4x1g.20gb", {"1g.20gb": 4}, "single", "all-1g.20gb", (3, 0)),
        ("3x2g.20gb", {"2g.20gb": 3}, "single", "all-2g.20gb", (1, 2)),
        ("2x3g.40gb", {"3g.40gb": 2}, "single", "all-3g.40gb", (1, 0)),
        ("1x4g.40gb", {"4g.40gb": 1}, "single", "all-4g.40gb", (3, 4)),
        ("1x7g.80gb", {"7g.80gb": 1}, "single", "all-7g.80gb", (0, 0)),
        ("all-balanced", {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}, "mixed", "all-balanced", (0, 0)),
        ("3g.40gb+2x1g.10gb+2g.20gb", {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}, "mixed", "all-balanced", (0, 0)),
        ("3x2g.20gb+1x1g.10gb", {"1g.10gb": 1, "2g.20gb": 3}, "mixed", "3x2g.20gb-1x1g.10gb", (0, 1)),
        ("4g.40gb+3g.40gb", {"3g.40gb": 1, "4g.40gb": 1}, "mixed", "1x4g.40gb-1x3g.40gb", (0, 0)),
        ("1g.10gb+1g.10gb", {"1g.10gb": 2}, "single", "2x1g.10gb", (5, 6)),
    ],
)
def test_a_layout_says_what_it_makes_of_a_gpu(
    text: str, sizes: dict[str, int], strategy: str, name: str, unused: tuple[int, int]
) -> None:
    layout = layout_of(text, "h100")
    assert (layout.sizes("h100"), layout.strategy, layout.name("h100")) == (sizes, strategy, name)
    assert (layout.unused, layout.known) == (unused, name.startswith("all-"))


def test_the_same_layout_has_other_names_on_another_gpu() -> None:
    layout = Layout({Kind(1, 1): 1, Kind(2, 2): 3})
    assert [layout.name(gpu) for gpu in ("h100-nvl", "h200")] == ["3x2g.24gb-1x1g.12gb", "3x2g.35gb-1x1g.18gb"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "3x3g.40gb",
            ", which needs 9 compute slices of 7 and 12 memory slices of 8 on a GPU (3g.40gb uses 3 and 4, so at most "
            "2 fit); request fewer or smaller slices",
        ),
        (
            "2x3g.40gb+1x1g.10gb",
            ", which needs 9 memory slices of 8 on a GPU (1g.10gb uses 1 and 1, so at most 7 fit; 3g.40gb uses 3 and "
            "4, so at most 2 fit); request fewer or smaller slices",
        ),
        (
            "all-1g.12gb",
            "; 1g.12gb is a slice of Azure's H100 NVL with 94 GB, in place of 1g.10gb: write all-1g.10gb; the plan on "
            "Azure reports the slice it uses",
        ),
        (
            "2x2g.35gb",
            "; 2g.35gb is a slice of h200; h100 has 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb: "
            "write 2x2g.20gb",
        ),
        ("3x2g+1x1g", "; 2g lacks its memory: 2g.20gb"),
        ("1g", "; 1g lacks its memory: 1g.10gb or 1g.20gb"),
        (
            "5g.50gb",
            "; h100 has no 5g.50gb; allowed: 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb, as all-SIZE "
            "or as a mixture such as 3x2g.20gb+1x1g.10gb",
        ),
    ],
)
def test_what_no_gpu_can_be_cut_into_is_refused_with_the_arithmetic(text: str, said: str) -> None:
    assert str(layout_problem(text, "h100")) == f"mig.layout is {text!r}{said}"


@pytest.mark.parametrize(
    ("gpu", "text", "said"),
    [
        ("b200", "8x1g.23gb", ", which needs 8 compute slices of 7 on a GPU (1g.23gb uses 1 and 1, so at most 7 fit)"),
        ("b200", "all-1g.34gb", "; 1g.34gb is a slice of b300; b200 has 1g.23gb, 1g.45gb, 2g.45gb, 3g.90gb, 4g.90gb, "),
        (
            "b300",
            "2x4g.135gb",
            ", which needs 8 compute slices of 7 on a GPU (4g.135gb uses 4 and 4, so at most 1 fit)",
        ),
    ],
)
def test_what_a_blackwell_gpu_cannot_be_cut_into_is_refused(gpu: str, text: str, said: str) -> None:
    assert str(layout_problem(text, gpu)).startswith(f"mig.layout is {text!r}{said}")
