"""Random queries, written part by part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from rdflib import URIRef

from random_queries.data import (
    CLASSES,
    DATA_PROPERTIES,
    ELSEWHERE,
    GRAPHS,
    LITERALS,
    NAMES,
    OBJECT_PROPERTIES,
    PLAIN_LITERALS,
    PREFIXES,
)
from random_queries.expressions import Expressions, term_text

_VARIABLES = ("?x", "?y", "?z", "?v", "?w")
_NAMES, _VALUES = ("?x", "?x", "?y", "?y", "?z"), ("?v", "?v", "?w")


def random_query(
    random: Random, *, forms: Sequence[str] = (), graphs: Sequence[URIRef] = GRAPHS, is_plain: bool = False
) -> str:
    """Return a query, with its prefixes.

    Args:
        forms: the allowed forms; by default all, mostly SELECT.
        graphs: the named graphs that GRAPH can name; without any, GRAPH does not occur.
        is_plain: true if every value has one lexical form, and no literal is ill-typed or of an unknown
            datatype.
    """
    form = random.choice(forms or ("SELECT",) * 8 + ("ASK", "CONSTRUCT", "CONSTRUCT", "DESCRIBE"))
    writer = _Writer(random, graphs, is_plain)
    prefixes = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in PREFIXES.items())
    write = {
        "SELECT": writer.select,
        "ASK": writer.ask,
        "CONSTRUCT": writer.construct,
        "DESCRIBE": writer.describe,
    }
    return prefixes + write[form]()


def _variables(text: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"\?[a-z]\d*(?!\w)", text)))


class _Writer:
    def __init__(self, random: Random, graphs: Sequence[URIRef], is_plain: bool) -> None:
        self._random, self._graphs, self._is_plain = random, graphs, is_plain
        self._literals = PLAIN_LITERALS if is_plain else LITERALS
        self._made: list[str] = []  # variables with an assigned value
        self._near: list[str] = []  # variables of the present group

    # -- forms -------------------------------------------------------------------------------------

    def select(self, depth: int = 2) -> str:
        """Return a SELECT, possibly a nested one."""
        random = self._random
        where = self._group(depth)
        self._near = _variables(where)
        if random.random() < 0.3:
            return self._grouped(where)
        modifier = random.choice(("", "", "", "DISTINCT ", "REDUCED "))
        assigned = [
            f"({self._expressions(depth > 1).any()} AS {self._new()})"
            for _ in range(random.choice((0, 0, 1, 2)))
        ]
        chosen = self._some(random.randint(0 if assigned else 1, 3))
        chosen = [variable for variable in chosen if not any(f"AS {variable})" in each for each in assigned)]
        columns = "*" if not assigned and random.random() < 0.3 else " ".join([*chosen, *assigned])
        values = f" VALUES {self._values()}" if random.random() < 0.05 else ""
        return f"SELECT {modifier}{columns or '?x'} WHERE {where}{self._modifiers()}{values}"

    def _grouped(self, where: str) -> str:
        """Return a SELECT with aggregates."""
        random = self._random
        keys, columns = [], []
        for variable in self._some(random.choice((0, 1, 1, 2))):
            if random.random() < 0.25:
                variable, expression = self._new(), self._expressions(False).any(1)
                keys.append(f"({expression} AS {variable})")
            else:
                keys.append(variable)
            columns.append(variable)
        aggregates = [self._aggregate() for _ in range(random.randint(1, 3))]
        assigned = [f"({aggregate} AS {self._new()})" for aggregate in aggregates]
        if random.random() < 0.2:
            assigned.append(f"(({self._aggregate()} + {self._aggregate()}) AS {self._new()})")
        by = f" GROUP BY {' '.join(keys)}" if keys else ""
        having = (
            f" HAVING({self._aggregate()} {random.choice(('<', '>', '!='))} 2)"
            if random.random() < 0.3
            else ""
        )
        order = ""
        if random.random() < 0.3:
            order = (
                f" ORDER BY {random.choice(('ASC', 'DESC'))}({random.choice((self._aggregate(), *columns))})"
            )
        return f"SELECT {' '.join([*columns, *assigned])} WHERE {where}{by}{having}{order}{self._slice()}"

    def ask(self) -> str:
        """Return an ASK."""
        return f"ASK {self._group(2)}"

    def construct(self) -> str:
        """Return a CONSTRUCT, with blank nodes in its template."""
        random = self._random
        where = self._group(1)
        subjects, predicates = (
            ("?x", "?y", "_:n", ":new", "[]", "?v"),
            (":r", ":p", ":made", ":made", "a", "?z"),
        )
        objects = ("?x", "?y", "?v", "?w", "_:n", "1", ":A", "[ :p ?v ]", "( ?x ?v )")
        triples = [
            f"{random.choice(subjects)} {random.choice(predicates)} {random.choice(objects)}"
            for _ in range(random.randint(1, 3))
        ]
        return f"CONSTRUCT {{ {' . '.join(triples)} }} WHERE {where}{self._slice()}"

    def describe(self) -> str:
        """Return a DESCRIBE."""
        named = self._random.choice(NAMES)
        return self._random.choice(
            (f"DESCRIBE {term_text(named)}", f"DESCRIBE ?x ?y {term_text(named)} WHERE {self._group(1)}")
        )

    # -- modifiers and aggregates ------------------------------------------------------------------

    def _modifiers(self) -> str:
        random, order = self._random, ""
        if random.random() < 0.3:
            conditions = (
                random.choice((variable, f"DESC({variable})", f"ASC({self._expressions(False).any(1)})"))
                for variable in self._some(random.randint(1, 2))
            )
            order = f" ORDER BY {' '.join(conditions)}"
        return order + self._slice()

    def _slice(self) -> str:
        random = self._random
        limit = f" LIMIT {random.randint(0, 6)}" if random.random() < 0.2 else ""
        return f"{limit} OFFSET {random.randint(0, 4)}" if random.random() < 0.1 else limit

    def _aggregate(self) -> str:
        random = self._random
        distinct = random.choice(("", "", "DISTINCT "))
        argument = random.choice((*self._some(2), self._expressions(False).any(1)))
        if random.random() < 0.15:
            return f"COUNT({distinct}*)"
        name = random.choice(("COUNT", "SUM", "SUM", "AVG", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT"))
        separator = '; SEPARATOR = "|"' if name == "GROUP_CONCAT" and random.random() < 0.5 else ""
        return f"{name}({distinct}{argument}{separator})"

    # -- patterns ----------------------------------------------------------------------------------

    def _group(self, depth: int) -> str:
        random = self._random
        around, self._near = self._near, []
        parts = [self._triples()] if random.random() < 0.9 else []
        for _ in range(random.choice((0, 1, 1, 2, 3)) if depth > 0 else random.choice((0, 0, 1))):
            self._near = _variables(" ".join(parts))
            parts += [self._part(depth)]
        self._near = around
        return f"{{ {' '.join(parts)} }}"

    def _part(self, depth: int) -> str:
        random, less = self._random, depth - 1
        if depth <= 0:
            return random.choice((self._filter, self._triples, self._bind))()
        choices = {
            self._triples: 3,
            self._filter: 6,
            self._bind: 3,
            lambda: f"OPTIONAL {self._group(less)}": 4,
            lambda: f"{self._group(less)} UNION {self._group(less)}": 2,
            lambda: f"MINUS {self._group(less)}": 2,
            lambda: f"VALUES {self._values()}": 2,
            lambda: self._nested(less): 2,
            lambda: self._group(less): 1,
            lambda: self._in_graph(less): 2 if self._graphs else 0,
        }
        (write,) = random.choices(list(choices), list(choices.values()))
        return write()

    def _nested(self, depth: int) -> str:
        around = self._near
        text, self._near = self.select(depth), around
        return f"{{ {text} }}"

    def _filter(self) -> str:
        """Return a filter; half of them accept errors."""
        condition = self._expressions(True).condition()
        return (
            f"FILTER(COALESCE({condition}, true))" if self._random.random() < 0.5 else f"FILTER({condition})"
        )

    def _bind(self) -> str:
        expression = "BNODE()" if self._random.random() < 0.03 else self._expressions(True).any()
        return f"BIND({expression} AS {self._new()})"

    def _in_graph(self, depth: int) -> str:
        name = self._random.choice((*(f"<{graph}>" for graph in self._graphs[:3]), *["?g"] * 5, ":none"))
        return f"GRAPH {name} {self._group(depth)}"

    def _values(self) -> str:
        random = self._random
        variables = random.sample(_VARIABLES, random.randint(1, 2))
        terms = [term_text(term) for term in (*NAMES, ELSEWHERE, *random.sample(self._literals, 8))]
        rows = (
            " ".join(random.choice((*terms, *["UNDEF"] * 5)) for _ in variables)
            for _ in range(random.choice((0, 1, 2, 3, 5)))
        )
        return f"({' '.join(variables)}) {{ {' '.join(f'({row})' for row in rows)} }}"

    def _triples(self) -> str:
        """Return one to three connected triple patterns."""
        random = self._random
        subject, patterns, seen = random.choice(_NAMES), [], set()
        for _ in range(random.choice((1, 1, 1, 2, 2, 3))):
            node = random.choice((*[subject] * 14, term_text(random.choice(NAMES)), "_:n"))
            verb, object_ = self._verb_and_object({subject} | seen if random.random() < 0.9 else set())
            patterns.append(f"{node} {verb} {object_} .")
            seen.add(object_)
            if object_ in _NAMES and random.random() < 0.3:
                subject = object_
        return " ".join(patterns).replace("_:n", f"_:n{random.randrange(10**9)}")

    def _verb_and_object(self, seen: set[str]) -> tuple[str, str]:
        """Return the rest of a triple pattern; its object is not in `seen`."""
        random = self._random
        kind = random.random()
        names = [name for name in _NAMES if name not in seen] or ["[]"]
        values = [value for value in _VALUES if value not in seen] or ["[]"]
        name = random.choice((*names, *names, *names, term_text(random.choice(NAMES)), "[]"))
        value = random.choice((*values, *values, *values, term_text(random.choice(self._literals))))
        if kind < 0.35:
            return term_text(random.choice(DATA_PROPERTIES)), value
        if kind < 0.65:
            return term_text(random.choice(OBJECT_PROPERTIES)), name
        if kind < 0.8:
            return "a", random.choice((*map(term_text, CLASSES), "?c", "?c"))
        if kind < 0.86:
            return random.choice(("?z", "?w")), random.choice((value, name))
        return self._path(2), random.choice((name, value))

    def _path(self, depth: int) -> str:
        random = self._random
        name = term_text(random.choice((*OBJECT_PROPERTIES, *OBJECT_PROPERTIES, *DATA_PROPERTIES)))
        if depth <= 0:
            return name
        path = self._path(depth - 1)
        other = term_text(random.choice(OBJECT_PROPERTIES))
        return random.choice(
            (
                name,
                f"^({path})",
                f"({path}/{self._path(depth - 1)})",
                f"({path}|{self._path(depth - 1)})",
                f"({path})*",
                f"({path})+",
                f"({path})?",
                random.choice(
                    (f"!{name}", f"!^{name}", f"!({name}|^{other})", f"!({name}|a)", f"!(^{name}|^{other})")
                ),
            )
        )

    # -- variables ---------------------------------------------------------------------------------

    def _expressions(self, has_exists: bool) -> Expressions:
        exists = (lambda: self._group(0)) if has_exists and self._random.random() < 0.5 else None
        variables = self._near if self._near and self._random.random() < 0.85 else _VARIABLES
        return Expressions(self._random, variables, exists, self._is_plain)

    def _some(self, count: int) -> list[str]:
        """Return some recently used variables, sometimes one that does not occur."""
        variables = self._near if self._near and self._random.random() < 0.9 else _VARIABLES
        return self._random.sample(variables, min(count, len(variables)))

    def _new(self) -> str:
        """Return a variable without a value."""
        self._made.append(f"?n{len(self._made)}")
        return self._made[-1]
