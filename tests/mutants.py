"""The mutants of a module: one node of its syntax tree replaced; and why a few are left alive.

Formulas of decorated functions, defaults and constants are mutated as well as the bodies of functions. Left
out are docstrings, type hints, the wording of messages, ``__all__`` and zip's ``strict``. `kill_mutants.py`
runs the tests; `mutants.toml` explains the mutants that no test can or should kill.
"""

import ast
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TESTS = {  # names of test files, or of tests in them
    "hedge": ["hedge.py"],
    "certificates": ["certificates.py"],
    "tripletboost": [
        "tripletboost.py",
        "engines.py::test_draws_invert_the_distribution_function_exactly",
        "engines.py::test_sums_of_blocks_follow_changes",
        "engines.py::test_table_and_merge_give_the_same_scores",
        "engines.py::test_models_of_parts_add_up_to_the_model_of_the_run",
        "engines.py::test_debug_mode_finds_broken_weights[numpy]",
        "engines.py::test_memory_is_estimated_with_the_figures",
    ],
    "bounds": ["bounds.py", "schedules.py"],
    "claims": ["claims.py"],
    "oneinclusion": ["oneinclusion.py"],
}
SWAPS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div,
    ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.MatMult: ast.Mult,
    ast.USub: ast.UAdd,
}  # fmt: skip
NAMES = {
    "min": "max", "any": "all", "floor": "ceil", "minimum": "maximum", "argmin": "argmax", "ones": "zeros",
    "sum": "max", "log": "log1p", "log1p": "log", "exp": "expm1", "expm1": "exp", "sorted": "list",
}  # fmt: skip
NAMES |= {other: name for name, other in NAMES.items() if other not in (*NAMES, "list")}


class Mutant(NamedTuple):
    key: str  # function | line before | what is replaced by what
    lines: range
    whenever: bool  # runs on import or once only, so that no single test reaches it
    node: ast.AST
    field: str
    value: Any


def _edits(node):
    """Yield (field, new value) of every mutant of one node."""
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                yield "ops", [*ops[:i], SWAPS[type(op)](), *ops[i + 1 :]]
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op) if type(op) in SWAPS:
            yield "op", SWAPS[type(op)]()
        case ast.UnaryOp(op=ast.USub()):
            yield "op", ast.UAdd()
        case ast.UnaryOp(op=(ast.Not() | ast.Invert()) as op, operand=inner):
            yield "operand", ast.UnaryOp(op, inner)
        case ast.Constant(value=bool(value)):
            yield "value", not value
        case ast.Constant(value=int() | float() as value):
            yield "value", value + 1
        case ast.Constant(value=str(value)) if " " not in value:  # anything longer is wording
            yield "value", f"XX{value}XX"
        case ast.Name(id=name) if name in NAMES:
            yield "id", NAMES[name]
        case ast.Attribute(attr=name) if name in NAMES:
            yield "attr", NAMES[name]
        case ast.Call(keywords=words):
            for i, word in enumerate(words):
                if word.arg not in (None, "strict"):
                    yield "keywords", [*words[:i], *words[i + 1 :]]
        case ast.If() | ast.IfExp():
            yield "test", ast.Constant(True)
            if not isinstance(node, ast.If) or not isinstance(node.body[0], ast.Raise):
                yield "test", ast.Constant(False)
        case ast.comprehension(ifs=[_, *_]):
            yield "ifs", []
    for field in ("body", "orelse"):
        for i, part in enumerate(block if isinstance(block := getattr(node, field, None), list) else []):
            match part:
                case ast.Expr(value=ast.Constant()):
                    pass
                case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]) | ast.Expr() | ast.Raise():
                    yield field, [*block[:i], ast.Pass(), *block[i + 1 :]]
                case ast.AugAssign() | ast.Continue() | ast.Break():
                    yield field, [*block[:i], ast.Pass(), *block[i + 1 :]]


def _children(node):
    """Return the nodes below that may be mutated."""
    match node:
        case ast.AnnAssign(value=value):
            parts = [value] if value else []
        case ast.FunctionDef(args=arguments):
            parts = [
                *node.decorator_list,
                *arguments.defaults,
                *filter(None, arguments.kw_defaults),
                *node.body,
            ]
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]) | ast.Raise() | ast.JoinedStr():
            parts = []
        case ast.Call(func=ast.Name(id="CertificateError" | "ValueError" | "TypeError" | "ProofError")):
            parts = []
        case ast.Expr(value=ast.Constant()) | ast.keyword(arg="strict"):
            parts = []
        case _:
            parts = list(ast.iter_child_nodes(node))
    return parts


def _text(node, field, value):
    """Write one node, and the same with the field replaced."""
    kept = getattr(node, field)
    if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
        i = next(i for i, part in enumerate(value) if part is not kept[i])
        return " ".join(ast.unparse(kept[i]).split()), "pass"
    if isinstance(node, ast.comprehension):
        return "if " + ast.unparse(node.ifs[0]), "no filter"
    if isinstance(node, (ast.If, ast.IfExp)):
        return ast.unparse(node.test), ast.unparse(value)
    before = ast.unparse(node)
    setattr(node, field, value)
    after = ast.unparse(ast.fix_missing_locations(node))
    setattr(node, field, kept)
    return " ".join(before.split()), " ".join(after.split())


def mutants(module):
    """List the mutants of a module of boosttheory, and its syntax tree."""
    source = (ROOT / "boosttheory" / f"{module}.py").read_text(encoding="utf-8")
    tree, lines, found, seen = ast.parse(source), source.splitlines(), [], {}

    def visit(node, home, span, whenever):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            decorators = [ast.unparse(d) for d in node.decorator_list]
            whenever = isinstance(node, ast.ClassDef) or "cache" in decorators
            home = f"{home}.{node.name}" if home else node.name
            span = range(node.lineno, node.lineno + 1)
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef):
            last = node.body[0].lineno - 1 if getattr(node, "body", None) else node.end_lineno
            span = range(node.lineno, max(node.lineno, last) + 1)
        for field, value in _edits(node):
            changed = span
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                old = next(o for o, n in zip(getattr(node, field), value, strict=True) if o is not n)
                changed = range(old.lineno, old.end_lineno + 1)
            before, after = _text(node, field, value)
            line = getattr(node, "lineno", None)
            line = changed[0] if line is None or changed is not span else line
            key = f"{home} | {lines[line - 1].strip()} | {before} → {after}"
            seen[key] = seen.get(key, 0) + 1
            key = key if seen[key] == 1 else f"{key} #{seen[key]}"
            found.append(Mutant(key, changed, whenever, node, field, value))
        for child in _children(node):
            on_import = isinstance(node, ast.FunctionDef) and child not in node.body
            visit(child, home, span, whenever or on_import)

    visit(tree, "", range(0), True)
    return found, tree


def compiled(mutant, tree, path):
    """Compile the module with the mutant in it."""
    kept = getattr(mutant.node, mutant.field)
    setattr(mutant.node, mutant.field, mutant.value)
    try:
        return compile(ast.fix_missing_locations(tree), str(path), "exec")
    finally:
        setattr(mutant.node, mutant.field, kept)


def explained():
    """Return module → mutant → why no test kills it."""
    entries = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text(encoding="utf-8"))
    return {
        module: {key: group["reason"] for group in groups for key in group["mutants"]}
        for module, groups in entries.items()
    }
