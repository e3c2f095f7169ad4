"""The command `gpucluster`: its help, what it loads, how it ends, and completion in shells."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.errors import Fault, InputError
from gpucluster.groups import AT_TERMINAL, Later
from gpucluster.options import FORMS, STACK
from tests.says import Says
from tests.waiting import LIMIT

GOLDEN = Path(__file__).with_name("help.txt")
BIN = Path(sys.executable).parent
VERBS = {
    "Allow", "Announce", "Ask", "Break", "Check", "Compare", "Create", "Delete", "Destroy", "Evaluate", "Explain",
    "Fail", "Finish", "Forget", "Keep", "List", "Measure", "Price", "Print", "Read", "Rehearse", "Repair", "Restart",
    "Run", "Scale", "Set", "Show", "Start", "Stop", "Suggest", "Take", "Test", "Validate", "Write",
}  # fmt: skip


def _commands(command: click.Command, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with its words, loaded."""
    command = command.load() if isinstance(command, Later) else command
    yield path, command
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from _commands(below, *path, name)


COMMANDS = list(_commands(main))
GROUPS = [(path, command) for path, command in COMMANDS if isinstance(command, click.Group)]


def _words(value: Any) -> str:
    return " ".join(("gpucluster", *value)) if isinstance(value, tuple) else ""


def _help(*path: str) -> str:
    """In a terminal of 80 columns, of which click fills 78; its runner would fill 80."""
    return CliRunner().invoke(main, [*path, "--help"], terminal_width=78).output


def test_the_help_of_every_group_is_as_it_was_read() -> None:
    """UPDATE_GOLDEN=1 writes it anew."""
    found = "\n".join(f"$ {_words(path)} --help\n{_help(*path)}" for path, _ in GROUPS)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(found)
    assert found == GOLDEN.read_text()


@pytest.mark.parametrize(("path", "group"), GROUPS, ids=_words)
def test_no_summary_is_cut_or_wrapped_in_80_columns(path: tuple[str, ...], group: click.Group) -> None:
    lines = _help(*path).split("Commands:\n")[1].splitlines()
    assert {line.split()[0] for line in lines} == set(group.commands)
    assert [line for line in lines if not line.endswith(".") or line.endswith("...") or len(line) > 80] == []


def test_no_line_of_any_help_is_wider_than_80_columns() -> None:
    lines = [f"{_words(path)}: {line}" for path, _ in COMMANDS for line in _help(*path).splitlines() if len(line) > 80]
    assert lines == []


def test_a_summary_is_the_first_sentence_of_the_help_and_starts_with_a_verb() -> None:
    groups = dict(GROUPS)
    shown = {path: groups[path[:-1]].commands[path[-1]].get_short_help_str(limit=100) for path, _ in COMMANDS[1:]}
    assert shown == {path: (command.help or "").partition("\n\n")[0] for path, command in COMMANDS[1:]}
    assert {path: text for path, text in shown.items() if text.split()[0].strip(",.") not in VERBS} == {}


def test_every_option_and_argument_is_described_in_a_sentence() -> None:
    wrong: list[str] = []
    for path, parameter in [(path, parameter) for path, command in COMMANDS for parameter in command.params]:
        assert isinstance(parameter, (click.Option, click.Argument))
        text, named = parameter.help or "", f"{_words(path)}: {parameter.name}"
        sentence = text.partition("  [default")[0]
        if not sentence[:1].isupper() and not sentence.startswith("kW"):
            wrong.append(f"{named}: {text!r} starts with no capital")
        if not sentence.endswith("."):
            wrong.append(f"{named}: {text!r} ends without a stop")
    assert wrong == []


@pytest.mark.parametrize("option", ["--output", "--quiet", "--format", "--prices", "--pack", "--usage", "--assume"])
def test_an_option_means_the_same_in_every_command(option: str) -> None:
    own = {("cost", "usage", "init"), ("telemetry", "dashboards")} if option == "--output" else set()
    found = {
        (str(parameter.type.name), parameter.help)
        for path, command in COMMANDS
        for parameter in command.params
        if isinstance(parameter, click.Option) and option in parameter.opts and path not in own
    }
    assert len(found) == 1


METAVARS = {
    "0..1", "CLOUD=PLAN", "CLOUD=SHARE", "CLOUD=URL", "CLOUD=USD", "COMMAND", "DATE", "FIELD=VALUE", "FILE", "FOLDER",
    "GBPS", "GLOB", "GPU=TFLOPS", "HOURS", "LABEL", "N", "NAME", "NAME=VALUE", "NAMES", "NUMBER", "OWNER/NAME",
    "REGION", "REVISION", "SECONDS", "SHA", "SIZE", "SKU", "TIME", "URL", "USD",
}  # fmt: skip
"""What an option takes, besides one of a list."""
OF_THE_SELECTED_STACK = {
    "connect", "rehearse", "upgrade", "sandbox connect", "sandbox kubectl", "sandbox logs",
    "sandbox jobs", "sandbox node list",
}  # fmt: skip
"""Commands that read the selected stack if none is named."""
OF_NO_STACK = {
    "check": "a spec without one",
    "cost diff": "of plans",
    "cost reconcile": "of a plan",
    "guardrails pr-check": "of every stack",
    "init": "writes a spec alone",
    "jobs": "list prices",
    "quote": "needs no project",
    "reap": "asks for `--all`",
    "sandbox drift": "of every stack",
    "sandbox reap": "asks for `--all`",
    "sandbox recover": "of the project's clouds",
}
"""Commands with another meaning if none is named. All others ask for it, as they change or end something."""


def _options() -> Iterator[tuple[str, click.Option, str]]:
    """Every option with the words of its command and the metavar in its help."""
    for path, command in COMMANDS:
        for option in command.params:
            if isinstance(option, click.Option) and not option.is_flag:
                yield _words(path), option, option.make_metavar(click.Context(command))


def test_options_name_what_they_take_by_one_set_of_words() -> None:
    odd = {metavar for _, option, metavar in _options() if not isinstance(option.type, click.Choice)} - METAVARS
    assert odd == set()
    assert [words for words, option, metavar in _options() if "--stack" in option.opts and metavar != "NAME"] == []


def test_the_commands_that_use_the_terminal_themselves_exist() -> None:
    assert {path[-1] for path, _ in COMMANDS if path} >= AT_TERMINAL


def test_stack_has_the_same_short_form_everywhere() -> None:
    assert {tuple(option.opts) for _, option, _ in _options() if "--stack" in option.opts} == {("--stack", "-s")}


def test_formats_have_one_set_of_names_in_one_order_and_old_names_still_work() -> None:
    found: dict[str, Any] = {words: option.type for words, option, _ in _options() if "--format" in option.opts}
    targets = found.pop("gpucluster telemetry rules")  # programs that read the rules
    assert [*targets.choices] == ["prometheus", "operator", "gke", "azure"]
    for words, type_ in found.items():
        first, *rest = type_.choices
        assert first == ("markdown" if "pr-check" in words else "table"), words
        assert rest == [form for form in FORMS if form in rest], words
        assert first not in ("table",) or type_.convert("text", None, None) == "table"


def test_only_what_reads_takes_the_selected_stack() -> None:
    found = {words.removeprefix("gpucluster "): option for words, option, _ in _options() if "--stack" in option.opts}
    selected = {words for words, option in found.items() if "[default: the selected one]" in (option.help or "")}
    assert selected == OF_THE_SELECTED_STACK
    required = {words for words, option in found.items() if option.required}
    assert required == found.keys() - OF_THE_SELECTED_STACK - OF_NO_STACK.keys()
    assert found.keys() >= OF_NO_STACK.keys()
    assert required >= {"pause", "sandbox job finish", "sandbox node cordon", "sandbox stop"}


@pytest.mark.parametrize(
    ("path", "command"),
    [(path, command) for path, command in COMMANDS[1:] if path != ("sandbox", "pulumi")],
    ids=_words,
)
def test_a_mistake_in_an_option_is_told_like_any_other(path: tuple[str, ...], command: click.Command) -> None:
    if path == ("sandbox", "kubectl"):
        return  # it passes options on
    done = CliRunner().invoke(main, [*path, "--no-such-option"])
    said = f"error: command line: 1 problem\n  no such option --no-such-option; see `{_words(path)} --help`\n"
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", said), command


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--no-such-option"], "no such option --no-such-option; see `gpucluster --help`"),
        (["quote", "--gpuss", "8"], "no such option --gpuss; did you mean --gpus?"),
        (["check", "a", "b"], "got unexpected extra argument (b); see `gpucluster check --help`"),
        (["pause"], "--stack is missing; see `gpucluster pause --help`"),
        (["rehearse"], "FILE is missing; see `gpucluster rehearse --help`"),
        (["pause", "-s", ""], "--stack: '' is empty; write a stack name"),
        (["init", "--nodes", "0"], "--nodes: 0 is not in the range 1<=x<=400"),
        (["schema", "x"], "WHAT is 'x'; allowed: spec, stack, cost-report, cost-reconcile, cost-diff, quote, "
         "guardrails-check, judge, acceptance-report, pr-check, versions, pull-request-evidence"),
        (["guardrails", "explain", "nope"], "NAME: unknown rule `nope`; `gpucluster guardrails list` shows all of "
         "them"),
        (["guardrails", "explain", "required-label"], "NAME: unknown rule `required-label`; did you mean "
         "`required-labels`?"),
    ],
    ids=lambda value: _words(tuple(value)) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_mistake_on_the_command_line_names_the_value_and_the_change(args: list[str], said: str) -> None:
    done = CliRunner().invoke(main, args)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"error: command line: 1 problem\n  {said}\n")


def test_rights_are_permissions_too() -> None:
    one, other = (CliRunner().invoke(main, [name, "--help"]).stdout for name in ("rights", "permissions"))
    assert one.replace("gpucluster rights", "gpucluster permissions", 1) == other


LIGHT = [
    "gpucluster",
    "gpucluster.cli",
    "gpucluster.core",
    "gpucluster.core.text",
    "gpucluster.core.text.terminal",
    "gpucluster.errors",
    "gpucluster.groups",
]
"""What help and completion load."""


def test_no_command_takes_an_empty_stack_for_the_selected_one() -> None:
    taken = [
        path
        for path, command in COMMANDS
        for option in command.params
        if "--stack" in option.opts and option.type is not STACK
    ]
    assert taken == []
    with pytest.raises(click.BadParameter) as refused:
        STACK.convert(" ", None, None)
    assert str(refused.value) == Says("remove", "option")


def _loaded(*args: str, variables: dict[str, str] | None = None) -> list[str]:
    """Our modules, and heavy ones of others, that the command has loaded when it ends."""
    code = (
        "import sys\n"
        "from gpucluster.cli import main\n"
        "try: main(sys.argv[1:], prog_name='gpucluster')\n"
        "except SystemExit: pass\n"
        "heavy = ('gpucluster', 'pulumi', 'pydantic', 'requests', 'rich', 'yaml')\n"
        "print(*sorted(name for name in sys.modules if name.startswith(heavy)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
        env={**os.environ, **(variables or {})},
    )
    return done.stderr.splitlines()[-1].split()


@pytest.mark.parametrize(
    "args",
    [
        ("--help",),
        ("--version",),
        ("cost", "--help"),
        ("cost", "prices", "--help"),
        ("guardrails", "--help"),
        ("sandbox", "--help"),
        ("acceptance", "--help"),
        ("telemetry", "--help"),
        ("completion", "zsh"),
        ("no-such-command",),
    ],
    ids=_words,
)
def test_help_loads_no_command(args: tuple[str, ...]) -> None:
    assert _loaded(*args) == LIGHT


@pytest.mark.parametrize(
    ("args", "never"),
    [
        (("init", "-"), ("gpucluster.cost", "gpucluster.policies", "gpucluster.sandbox", "pulumi", "requests")),
        (("cost", "types"), ("gpucluster.components", "gpucluster.policies", "gpucluster.sandbox", "pulumi", "rich")),
        (
            ("guardrails", "list"),
            ("gpucluster.components", "gpucluster.operate.pull_request", "gpucluster.sandbox"),
        ),
        (("sandbox", "reset", "--help"), ("gpucluster.components", "gpucluster.cost", "gpucluster.policies", "pulumi")),
        (("acceptance", "run", "--help"), ("gpucluster.policies", "gpucluster.sandbox", "pulumi", "requests")),
    ],
    ids=_words,
)
def test_a_command_loads_only_what_it_needs(args: tuple[str, ...], never: tuple[str, ...]) -> None:
    found = _loaded(*args)
    assert [name for name in found if name.startswith(never)] == []


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (InputError("a\nb"), 2, "error: a\nerror: b\n"),
        (InputError("a.yaml", ["x", "y"]), 2, "error: a.yaml: 2 problems\n  x\n  y\n"),
        (Fault("go build failed:\nno space left"), 3, "error: go build failed:\nno space left\n"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"), 2, "error: the input is not UTF-8 text\n"),
        (KeyboardInterrupt(), 130, ""),
        (click.Abort(), 130, ""),
        (BrokenPipeError(), 0, ""),
        (click.FileError("gone.json", "no"), 2, "error: could not open file 'gone.json': no\n"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_an_error_is_text_on_stderr_and_an_exit_code(
    error: BaseException, code: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("gpucluster.operate.spec.init.first_spec", fail)
    done = CliRunner().invoke(main, ["init", "-"])
    assert (done.exit_code, done.stdout, done.stderr) == (code, "", text)


def test_a_fault_of_ours_names_its_place_and_quotes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucluster.operate.spec.init.first_spec", {}.__getitem__)
    done = CliRunner().invoke(main, ["init", "-"])
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr == Says("TypeError", "gpucluster.operate.spec.init")


def test_a_word_that_is_nearly_a_command_is_answered_with_it() -> None:
    done = CliRunner().invoke(main, ["cost", "reprot"])
    assert done.exit_code == 2
    assert done.stderr == "error: command line: 1 problem\n  no such command reprot; did you mean report?\n"


def test_the_module_is_the_command() -> None:
    for words in (["--version"], ["cost", "--help"], ["check"]):
        one, other = (
            subprocess.run([*start, *words], capture_output=True, text=True, timeout=LIMIT, check=False)
            for start in ([str(BIN / "gpucluster")], [sys.executable, "-m", "gpucluster"])
        )
        assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)


@pytest.mark.parametrize(
    ("given", "option"), [(["--kubernetes", "live"], "--kubernetes"), (["--scenario", "quota.yaml"], "--scenario")]
)
def test_an_option_for_pulumi_is_refused_by_a_command_that_does_not_heed_it(given: list[str], option: str) -> None:
    done = CliRunner().invoke(main, ["sandbox", *given, "status"])
    words = f"error: {option} is for pulumi, up, pause, resume and reap; remove it from `sandbox status`\n"
    assert (done.exit_code, done.stderr) == (2, words)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_of_a_shell_calls_the_command(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell])
    assert done.exit_code == 0
    assert f"_GPUCLUSTER_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("gpucluster co", ["cost", "connect", "completion"]),
        ("gpucluster cost re", ["report", "reconcile"]),
        ("gpucluster cost prices ", ["show", "gpus", "check", "refresh"]),
        ("gpucluster cost report --gr", ["--group-by"]),
        ("gpucluster guardrails pr-check re", ["render"]),
        ("gpucluster sandbox --kubernetes r", ["real"]),
    ],
)
def test_bash_completes_commands_and_options_that_are_not_loaded_yet(words: str, found: list[str]) -> None:
    variables = {
        "_GPUCLUSTER_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = subprocess.run(
        [str(BIN / "gpucluster")],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
        env={**os.environ, **variables},
    )
    assert [line.partition(",")[2] for line in done.stdout.splitlines()] == found


def test_completing_a_command_loads_none() -> None:
    variables = {"_GPUCLUSTER_COMPLETE": "bash_complete", "COMP_WORDS": "gpucluster cost re", "COMP_CWORD": "2"}
    assert _loaded(variables=variables) == LIGHT
