"""Print how much of lopsided's code runs for a command, and how deep.

    python benchmarks/trace.py [--only rank fit] [--src src/lopsided] [--deepest]

Each operation is called twice in this process, and the second call is counted with
`sys.setprofile`, in all threads. Functions and methods of files in `src/lopsided` are counted;
lambdas, comprehensions, class bodies and compiled numba code are not. Depth is the largest
number of different functions of ours on one stack, so that recursion counts once. The table has
600 generated rows and is in a temporary folder, as all outputs are.

An import chain is a path of modules that import each other, by the statements that `ast` finds;
its length is the number of imports. The first chain has all statements outside of
`if TYPE_CHECKING`, the second only those that run when a module is imported. The steps to the
`__init__.py` of parent packages are not counted. Public names are the functions and classes
that `docs/api` lists.
"""

import argparse
import ast
import contextlib
import io
import os
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]


class Counter:
    """Counts functions, files and depth of the calls inside a `with` block."""

    def __init__(self, source):
        self.source = f"{source}{os.sep}"
        self.functions = set()
        self.deepest = []

    def __enter__(self):
        threading.setprofile(self._see)
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)
        threading.setprofile(None)

    def _see(self, frame, event, _):
        if event != "call" or not self._is_ours(frame.f_code):
            return
        self.functions.add(frame.f_code)
        stack = {}
        while frame is not None:
            if self._is_ours(frame.f_code):
                stack[frame.f_code] = None
            frame = frame.f_back
        if len(stack) > len(self.deepest):
            self.deepest = list(stack)[::-1]

    def _is_ours(self, code):
        return code.co_filename.startswith(self.source) and not code.co_name.startswith("<")

    def list_files(self):
        """Return the files of the functions."""
        return {code.co_filename for code in self.functions}

    def list_deepest(self):
        """Return the deepest stack, outermost function first, as `module.function`."""
        return [
            f"{Path(code.co_filename).relative_to(self.source).with_suffix('')}:{code.co_qualname}"
            for code in self.deepest
        ]


def make_table(n_rows=600):
    """Return a table as a user has it: numbers, categories, dates as text, few known cases."""
    rng = np.random.default_rng(0)
    truth = rng.random(n_rows) < 0.15
    amount = rng.lognormal(5 + truth, 1)
    day = pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.integers(0, 90, n_rows), unit="D")
    known = np.where(truth & (rng.random(n_rows) < 0.5), "confirmed", "")
    return pd.DataFrame(
        {
            "claim_no": [f"C-{row:04}" for row in range(n_rows)],
            "day": day.astype(str),
            "amount": [f"{value:,.2f} EUR" for value in amount],
            "online": rng.choice(["yes", "no"], n_rows),
            "earlier": rng.poisson(1 + truth),
            "kind": rng.choice(["glass", "theft", "water"], n_rows),
            "age": np.where(rng.random(n_rows) < 0.1, np.nan, rng.integers(18, 90, n_rows)),
            "status": np.where(~truth & (rng.random(n_rows) < 0.05), "cleared", known),
        }
    )


def prepare(folder):
    """Write what the operations read, and return the operations by name."""
    import lopsided
    from lopsided.workflow.cli import main

    table = make_table()
    table.to_csv(folder / "claims.csv", index=False)
    parts = folder / "parts"
    parts.mkdir()
    numbers = table[["earlier", "age"]].assign(y=(table["status"] == "confirmed") * 1)
    for place, part in enumerate(np.array_split(np.arange(len(table)), 2)):
        numbers.iloc[part].to_parquet(parts / f"{place}.parquet", index=False)
    claims, model, roles = "claims.csv", "claims.lop", ["--label", "status", "--id", "claim_no"]
    roles += ["--positive", "confirmed", "--negative", "cleared"]

    def run(*words):
        if code := main([*words, "--jobs", "1"]):
            raise SystemExit(f"lopsided {' '.join(words)} ended with {code}")

    def fit():
        run("fit", claims, *roles, "--method", "focused-fast", "-o", model)

    def fit_arrays():
        X, y = numbers[["earlier", "age"]].to_numpy(), numbers["y"].to_numpy()
        lopsided.build("ifpu-xgb", prior=0.1, n_jobs=1).fit(X, y)

    def review():
        fit()
        run("rank", model, claims, "-o", "ranked.csv")
        ranking = pd.read_csv("ranked.csv").head(20)
        ranking.assign(verdict=[1, -1] * 10).to_csv("reviewed.csv", index=False)

    review()
    return {
        "fit": fit,
        "rank": lambda: run("rank", model, claims, "-o", "ranked.csv"),
        "feedback": lambda: run("feedback", model, "reviewed.csv", "-o", "taught.lop"),
        "report": lambda: run("report", model, claims, "-o", "report.html"),
        "out-of-core": lambda: run(
            "rank", "parts", "--label", "y", "--out-of-core", "-o", "r.parquet"
        ),
        "build": fit_arrays,
    }


def count(operation, source):
    """Return the counter of the second call of an operation, whose output is discarded."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        operation()
        with Counter(source) as counter:
            operation()
    return counter


def list_modules(source):
    """Return the files of our modules by their names."""
    files = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source.parent).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


def list_imports(path, inside_functions):
    """Yield (module, name or None) for each import of a file that is not for types alone."""
    nodes = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            nodes += node.orelse
        elif inside_functions or not isinstance(node, ast.FunctionDef):
            nodes += [
                child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)
            ]


def build_graph(source, inside_functions):
    """Return for each of our modules the modules of ours that it imports."""
    files = list_modules(source)
    graph = {}
    for module, path in files.items():
        imports = list_imports(path, inside_functions)
        inner = {
            f"{home}.{name}" if f"{home}.{name}" in files else home for home, name in imports
        }
        graph[module] = sorted((inner & files.keys()) - {module})
    return graph


def find_longest_chain(graph):
    """Return the modules along the longest chain of imports, the importing module first."""
    place = {module: i for i, module in enumerate(graph)}
    edges = [(place[module], place[other]) for module in graph for other in graph[module]]
    ones = np.ones(len(edges)), tuple(np.transpose(edges))
    matrix = csr_array(ones, shape=(len(graph), len(graph)))
    _, cycle = connected_components(matrix, connection="strong")
    longest = {}

    def extend(path):
        """Return the longest chain that begins with a path inside one cycle of imports."""
        chains = [path]
        for other in graph[path[-1]]:
            if cycle[place[other]] != cycle[place[path[-1]]]:
                longest[other] = longest.get(other) or extend([other])
                chains.append(path + longest[other])
            elif other not in path:
                chains.append(extend([*path, other]))
        return max(chains, key=len)

    return max((extend([module]) for module in graph), key=len)


def count_public_names():
    """Return how many functions and classes of lopsided the pages of the reference list."""
    sys.path.insert(0, str(ROOT / "tests"))
    from public_names import list_public

    return sum(name.startswith("lopsided.") for name in list_public())


def main():
    """Print the table of counts, and what is counted once for the whole tree."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--src", type=Path, default=ROOT / "src" / "lopsided")
    parser.add_argument("--deepest", action="store_true", help="print the deepest stacks, too")
    options = parser.parse_args()
    source = options.src.resolve()
    sys.path.insert(0, str(source.parent))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        operations = prepare(Path(folder))
        print(f"{'operation':14} {'functions':>9} {'files':>6} {'depth':>6}")
        for name in options.only or operations:
            counter = count(operations[name], source)
            counts = len(counter.functions), len(counter.list_files()), len(counter.deepest)
            print("{:14} {:9} {:6} {:6}".format(name, *counts), flush=True)
            if options.deepest:
                print("\n".join(f"    {place}" for place in counter.list_deepest()))
    kinds = {"also inside functions": True, "when a module is imported": False}
    for words, inside in kinds.items():
        chain = find_longest_chain(build_graph(source, inside))
        print(f"\n{len(chain) - 1} imports in the longest chain, {words}:")
        print(" -> ".join(chain))
    print(f"\npublic names {count_public_names()}")


if __name__ == "__main__":
    main()
