"""Finds installed Pulumi SDKs for Python: their folder, version, and the files that declare resource types.

No SDK is imported: `import pulumi_aws.ec2` alone takes seconds. Files are read as text.

The inputs and outputs of a resource type, read from the source text of its SDK class.
"""

from __future__ import annotations

import ast
import json
import re
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from gpucluster.core.text.type_guards import is_object

DYNAMIC: Final = "pulumi-python"
"""Package of the resources that a Python program defines itself; its SDK is Pulumi's own."""
_FUNCTION: Final = r"[a-z][A-Za-z0-9]{1,99}"
"""Name of a data source; names of resources begin with a capital. It becomes a file name."""
_NONE: Final = "0.0.0"
"""For an SDK without a version: its program uses any available version."""


@dataclass(frozen=True)
class Declaration:
    """The file and class that declare a resource type."""

    file: Path
    class_name: str


@dataclass(frozen=True)
class Sdk:
    """One installed SDK, e.g. `pulumi_aws` 7.51.1.

    package: name of the provider plugin, e.g. `azure-native`.
    root: folder of the Python package.
    """

    package: str
    version: str
    root: Path

    @cached_property
    def modules(self) -> dict[str, tuple[str, str]]:
        """Type token -> (dotted Python module, class), from the registry text in the SDK's `__init__.py`."""
        text = (self.root / "__init__.py").read_text()
        registry = re.search(r'resource_modules="""(.*?)"""', text, re.DOTALL)
        found: dict[str, tuple[str, str]] = {}
        modules: list[dict[str, Any]] = json.loads(registry[1]) if registry else []
        for module in modules:
            found |= {token: (module["fqn"], class_name) for token, class_name in module["classes"].items()}
        return found

    def declaration(self, token: str) -> Declaration | None:
        """The declaration of a type; None if the SDK has no such type."""
        if token == f"pulumi:providers:{self.package}":
            file = self.root / "provider.py"
            return Declaration(file, "Provider") if file.is_file() else None
        if token not in self.modules:
            return self._function(token)
        module, class_name = self.modules[token]
        folder = self.root.joinpath(*module.split(".")[1:])
        for file in _likely_files(folder, class_name):
            if f"\nclass {class_name}(" in file.read_text():
                return Declaration(file, class_name)
        return None

    def _function(self, token: str) -> Declaration | None:
        """The class of a data source's answer, in the file named after it."""
        name = token.rsplit(":", 1)[-1]
        if not re.fullmatch(_FUNCTION, name):
            return None
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
        class_name = f"{name[:1].upper()}{name[1:]}Result"
        for file in sorted(self.root.rglob(f"{snake}.py")):
            text = file.read_text()
            if f"'{token}'" in text and f"\nclass {class_name}:" in text:
                return Declaration(file, class_name)
        return None


def _likely_files(folder: Path, class_name: str) -> Iterator[Path]:
    """The files of a folder, those named after the class first."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name).lower()
    files = sorted(folder.glob("*.py"))
    likely = {f"{snake}.py", f"{class_name}.py"}
    yield from (file for file in files if file.name in likely)
    yield from (file for file in files if file.name not in likely)


def site_packages(virtualenv: Path | None) -> Path:
    """The site-packages folder of a virtual environment; without one, of this interpreter."""
    for folder in sorted(virtualenv.glob("lib/python3*/site-packages")) if virtualenv else []:
        return folder
    return Path(sysconfig.get_path("purelib"))


def installed_sdks(folder: Path) -> dict[str, Sdk]:
    """The resource SDKs in a site-packages folder, by provider package."""
    sdks: dict[str, Sdk] = {}
    for file in sorted(folder.glob("*/pulumi-plugin.json")):  # not all begin with pulumi_, such as lbrlabs_pulumi_eks
        try:
            plugin = json.loads(file.read_text())
        except ValueError:
            # Pulumi does not find it either, and the program may not import it.
            continue
        version = plugin.get("version") or _package_version(file.parent) or _NONE
        if plugin.get("resource"):
            name = plugin.get("name") or file.parent.name.removeprefix("pulumi_").replace("_", "-")
            sdks[name] = Sdk(name, version.removeprefix("v"), file.parent)
    own = folder / "pulumi"
    if (own / "__init__.py").is_file():
        sdks[DYNAMIC] = Sdk(DYNAMIC, _package_version(own) or _NONE, own)
    return sdks


def _package_version(root: Path) -> str:
    """The version of an installed Python package, also used for a plugin without a version; empty if unknown.

    Source: pulumi/pulumi sdk/go/common/resource/plugin/plugin.go (PulumiPluginJSON).
    """
    from importlib.metadata import distributions

    found = distributions(name=root.name, path=[str(root.parent)])
    return next((each.version for each in found), "")


def how_to_install(package: str) -> str:
    """How to install a missing SDK; begins with `needs`."""
    from gpucluster.core.environment import installing

    return f"needs pulumi-{package}: {installing(f'pulumi-{package}')}"


FORMAT: Final = 5
"""Version of the extracted form; a change makes every cached file stale."""

_ENUMS_BY_HAND: Final = frozenset({"pulumi_aws", "pulumi_kubernetes"})
"""SDKs whose enumerations are maintained by hand; their providers accept other values, too."""

_SCALARS: Final = {"str": "str", "int": "int", "float": "float", "bool": "bool"}


def read_type(root: Path, declaration: Declaration) -> dict[str, Any]:
    """`{"inputs": .., "outputs": .., "types": .., "api_version": ..}` of a resource class, or of the class of a data
    source's answer, ready for JSON.

    inputs and outputs map a wire name to `{"type": T, "required": bool}`; types maps a reference in T to such a map.
    T is "str", "int", "float", "bool", "any", "asset", {"list": T}, {"map": T}, {"union": [T, ..]}, {"const": value},
    {"enum": [value, ..]} or {"ref": name}. The version of the API is the one named in the documentation of the class,
    else empty.
    root: folder of the SDK package.
    """
    reader = _Reader(root)
    resource = next(_class_texts(declaration.file, declaration.class_name), "")
    named = re.search(r"get_resource_args_opts\((\w+)", resource)
    args_class = named[1] if named else f"{declaration.class_name}Args"
    inputs = reader.properties(declaration.file, args_class) or _arguments(declaration)
    outputs = reader.getters(declaration.file, declaration.class_name)
    reader.follow()
    version = re.search(r"Uses Azure REST API version ([\w-]+)", resource)
    return {
        "inputs": inputs,
        "outputs": outputs,
        "types": reader.types,
        "api_version": version[1] if version else "",
    }


def _arguments(declaration: Declaration) -> dict[str, Any]:
    """The arguments of a data source, whose file assigns each to its wire name."""
    if not declaration.class_name.endswith("Result"):
        return {}
    names = re.findall(r"__args__\['(\w+)'\]", declaration.file.read_text())
    return {name: {"type": "any", "required": False} for name in names}


@dataclass
class _Reader:
    root: Path
    types: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    _open: list[tuple[str, Path, str]] = field(default_factory=list[tuple[str, Path, str]])

    def follow(self) -> None:
        """Reads the referenced classes, recursively."""
        while self._open:
            reference, file, class_name = self._open.pop()
            self.types[reference] = self.properties(file, class_name)

    def properties(self, file: Path, class_name: str) -> dict[str, Any]:
        """The constructor parameters of an argument or output class under their wire names."""
        node = _parsed_class(file, class_name)
        if node is None:
            return {}
        wire_names = {getter.name: name for getter, name in _getters(node)}
        found: dict[str, Any] = {}
        for function in node.body:
            if isinstance(function, ast.FunctionDef) and function.name == "__init__":
                for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
                    if argument.annotation is not None:
                        found[wire_names.get(argument.arg, argument.arg)] = {
                            "type": self._type(argument.annotation, file),
                            "required": default is None,
                        }
        return found

    def getters(self, file: Path, class_name: str) -> dict[str, Any]:
        """The output properties of a resource class; required means that the output is never null."""
        node = _parsed_class(file, class_name)
        found: dict[str, Any] = {}
        for function, name in _getters(node) if node else []:
            if function.returns is not None:
                found[name] = {
                    "type": self._type(function.returns, file),
                    "required": "Optional[" not in ast.unparse(function.returns),
                }
        return found

    def _type(self, node: ast.expr, file: Path) -> Any:
        if isinstance(node, ast.Subscript):
            return self._generic(ast.unparse(node.value).rsplit(".", 1)[-1], node.slice, file)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._reference(node.value, file)
        name = ast.unparse(node).rsplit(".", 1)[-1]
        if name in ("Asset", "Archive"):
            return "asset"
        return _SCALARS.get(name, "any")

    def _generic(self, name: str, inner: ast.expr, file: Path) -> Any:
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        match name:
            case "Input" | "Output" | "Optional" | "InputType":
                return self._type(parts[0], file)
            case "Sequence":
                return {"list": self._type(parts[0], file)}
            case "Mapping":
                return {"map": self._type(parts[1], file)}
            case "Union":
                return _union([self._type(part, file) for part in parts])
            case "Literal":
                return {"const": ast.literal_eval(parts[0])}
            case _:
                return "any"

    def _reference(self, dotted: str, file: Path) -> Any:
        """The reference of a class in a quoted annotation such as `'_meta.v1.ObjectMetaArgs'`.

        A class of another package, such as `'pulumi_aws.ec2.SecurityGroup'` in the SDK of a component, is "any".
        """
        *modules, class_name = dotted.split(".")
        folder = file.parent
        is_output = (bool(modules) and modules[-1] == "outputs") or (not modules and file.name == "outputs.py")
        modules = [module for module in modules if module != "outputs"]
        if modules:
            folder = self.root.joinpath(modules[0].lstrip("_"), *modules[1:])
            if not folder.is_dir():
                folder = self.root.joinpath(f"{modules[0].lstrip('_')}_", *modules[1:])
            if not folder.is_dir():
                return "any"
        target = folder / ("outputs.py" if is_output else "_inputs.py")
        if not _has_class(target, class_name):
            return self._enumeration(folder / "_enums.py", class_name)
        reference = f"{target.relative_to(self.root).with_suffix('')}:{class_name}"
        if reference not in self.types:
            self.types[reference] = {}
            self._open.append((reference, target, class_name))
        return {"ref": reference}

    def _enumeration(self, file: Path, class_name: str) -> Any:
        """The values of an enumeration, as its provider's own API description lists them."""
        node = _parsed_class(file, class_name) if file.is_file() else None
        if node is None:
            return "any"
        if self.root.name in _ENUMS_BY_HAND:
            return "str"
        return {"enum": [ast.literal_eval(line.value) for line in node.body if isinstance(line, ast.Assign)]}


def _union(options: list[Any]) -> Any:
    """A union; of text and an enumeration, the enumeration: text is another spelling of its values."""
    if all(option == options[0] for option in options):
        return options[0]
    listed = [option for option in options if is_object(option) and "enum" in option]
    return listed[0] if listed and len(options) == 2 and "str" in options else {"union": options}


def _has_class(file: Path, class_name: str) -> bool:
    return file.is_file() and class_name in _source(file).starts


def _getters(node: ast.ClassDef) -> list[tuple[ast.FunctionDef, str]]:
    """The property getters of a class with their wire names."""
    found: list[tuple[ast.FunctionDef, str]] = []
    for function in node.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        for decorator in function.decorator_list:
            if ast.unparse(decorator) == "pulumi.getter":
                found.append((function, function.name))
            elif isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pulumi.getter":
                found.extend((function, ast.literal_eval(keyword.value)) for keyword in decorator.keywords)
    return found


@dataclass(frozen=True)
class _Source:
    """The text of a file and the positions of its classes."""

    text: str
    starts: dict[str, int]


@cache
def _source(file: Path) -> _Source:
    text = file.read_text()
    return _Source(text, {found[1]: found.start() for found in re.finditer(r"^class (\w+)\b", text, re.MULTILINE)})


_TOP_LEVEL: Final = re.compile(r"^[@A-Za-z_]", re.MULTILINE)


def _class_texts(file: Path, class_name: str) -> Iterator[str]:
    """The class up to each line that may be the next one after it: lines of a long text begin at the margin, too."""
    source = _source(file)
    start = source.starts.get(class_name)
    if start is not None:
        yield from (source.text[start : end.start()] for end in _TOP_LEVEL.finditer(source.text, start + 1))
        yield source.text[start:]


def _parsed_class(file: Path, class_name: str) -> ast.ClassDef | None:
    for text in _class_texts(file, class_name):
        with suppress(SyntaxError):
            node = ast.parse(text).body[0]
            return node if isinstance(node, ast.ClassDef) else None
    return None
