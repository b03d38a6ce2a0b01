"""Terms interned to integers, and triples to facts of three integers.

A fact is a row `(predicate, subject, object)` of int32: `C(x)` is `(C, x, -1)`, `R(x, y)` is `(R, x, y)`.
Classes and properties are numbered together; names and literals are, literals from `FIRST_LITERAL` on.
Literals of one value share one number. Of a value first seen in another form than a fact was given with, the
form is kept beside the fact (`Encoded.forms`). A number keeps its meaning until the vocabulary is `renamed`,
and for holders of the `lexicon` of its time for ever.

An error or interrupt may come at any moment. So a term is first written at its place, then its number is
written into the dictionary, last of all: the numbers given out are those in the dictionaries, and what stands
in a list behind them is written over.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast
from typing import Literal as Literal_

import numpy as np
import numpy.typing as npt
from rdflib import BNode, Literal, URIRef

from pantarhei.encoding.encoded import Encoded, forms_given
from pantarhei.encoding.lexicon import Lexicon, LiteralSet, Names, key_of
from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FORMS, NONE, Forms, Integers, Symbol
from pantarhei.encoding.renaming import Renaming
from pantarhei.errors import InvalidTripleError
from pantarhei.language.data_range import DataRange
from pantarhei.language.rule import Predicate
from pantarhei.language.term import RDF_TYPE, Term, Triple, check_text, check_triple
from pantarhei.literals.builtin import COMPARISONS, compute, holds
from pantarhei.literals.membership import tester
from pantarhei.literals.value import is_ill_typed, value_of
from pantarhei.rdf.ntriples import is_plain_iri, parse_term
from pantarhei.rdf.triple_table import (
    ColumnarTriples,
    TermColumn,
    TripleColumns,
    columns_of,
    triples_of_abox,
)

if TYPE_CHECKING:
    import pyarrow as pa

Place = Literal_["subject", "predicate", "object", "class"]
_NumbersOf = Callable[[list[str], Place], list[int]]
_TYPE = str(RDF_TYPE)


class NumberedProgram(Protocol):
    """What a program numbers: symbols, terms, data ranges and built-ins, by their positions."""

    @property
    def predicates(self) -> tuple[Symbol, ...]: ...
    @property
    def names(self) -> tuple[Term, ...]: ...
    @property
    def literals(self) -> tuple[Literal, ...]: ...
    @property
    def ranges(self) -> tuple[DataRange, ...]: ...
    @property
    def builtins(self) -> tuple[URIRef, ...]: ...


class _Role(NamedTuple):
    """A place in a triple: what may stand there and how it is numbered; `known` remembers texts."""

    number: Callable[[Any], int]
    terms: tuple[type, ...]
    expected: str
    known: dict[str, int]
    has_individuals: bool


class Tables(NamedTuple):
    """What a vocabulary knows of symbols and terms, to be put in place as a whole."""

    lexicon: Lexicon
    classes: dict[str, int]
    properties: dict[str, int]
    name_numbers: dict[str, int]
    value_numbers: dict[Hashable, int]
    literal_numbers: dict[Literal, int]
    variants: list[tuple[int, Literal]]
    ill_typed: LiteralSet
    memberships: npt.NDArray[np.uint8]
    roles: dict[Place, _Role]


class Vocabulary:
    """The numbers of symbols and terms; starts with those of a program.

    It knows all that it has met since it was last `renamed`.
    """

    def __init__(self, program: NumberedProgram) -> None:
        self.symbols: list[Symbol] = []
        self.names = Names([])
        self.literals: list[Literal] = []
        self.varied = LiteralSet()  # of values that were met in more than one form
        self.lexicon = Lexicon(self.symbols, self.names, self.literals, self.varied)
        self._classes: dict[str, int] = {}
        self._properties: dict[str, int] = {}
        self._name_numbers: dict[str, int] = {}
        self._merged = 0  # so many names have the number of another
        self._value_numbers: dict[Hashable, int] = {}
        self._literal_numbers: dict[Literal, int] = {}  # ~i for what `_variants[i]` says
        self._variants: list[tuple[int, Literal]] = []
        self.ill_typed = LiteralSet()
        self._roles: dict[Place, _Role] = {
            "subject": _Role(
                self._number_name, (URIRef, BNode), "the subject must be an IRI or a blank node", {}, True
            ),
            "predicate": _Role(self._number_property, (URIRef,), "the predicate must be an IRI", {}, False),
            "object": _Role(
                self._number_object, (URIRef, BNode, Literal), "the object must be a term", {}, True
            ),
            "class": _Role(
                self._number_class,
                (URIRef, BNode),
                "the object of rdf:type must be a class, not a literal",
                {},
                False,
            ),
        }
        self.memberships: npt.NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._dictionaries = self._all_dictionaries()
        self._ranges: tuple[DataRange, ...] = ()
        self._ranges_of = tester(())
        self._width = 0
        self.adopt(program)

    def adopt(self, program: NumberedProgram) -> None:
        """Number the symbols and terms of `program` as it does, and test literals for its data ranges.

        What has a number already must have the same one in the program (`compile_` with `numbered=self`).
        """
        for symbol in program.predicates[len(self.symbols) :]:
            self._add_symbol(symbol)
        for name in program.names[len(self.names) :]:
            self._number_name(name)
        if program.ranges != self._ranges:
            self._ranges = ()  # until all is made
            ranges_of, width = tester(program.ranges), (len(program.ranges) + 7) // 8
            memberships = np.zeros(max(64, 2 * len(self.literals)) * width, np.uint8)
            for place, literal in enumerate(self.literals):
                _set_bits(memberships, place * width, ranges_of(literal))
            self._ranges_of, self._width, self.memberships = ranges_of, width, memberships
            self._ranges = program.ranges
        self._builtins = program.builtins
        for literal in program.literals[len(self.literals) :]:
            self.number(literal)

    # -- in ----------------------------------------------------------------------------------------

    def merge(self, name: Term, others: Iterable[Term]) -> None:
        """Let `others`, which have no number yet, be further names of what `name` names."""
        number = self._number_name(name)
        for other in others:
            self._name_numbers.setdefault(key_of(other), number)
        self._merged = len(self._name_numbers) - len(self.names)

    def encode(self, triples: Iterable[Triple]) -> Encoded:
        """The facts of `triples`, in their order.

        Raises:
            InvalidTripleError: one is not a triple of RDF terms, or its text no Unicode, or they are no ABox
                at all. Facts before it leave no trace but their terms' numbers.
        """
        flat: list[int] = []
        given: dict[int, Literal] = {}
        for triple in triples_of_abox(triples):
            subject, predicate, object_ = check_triple(triple)
            if predicate == RDF_TYPE:
                flat += (self._number_class(cast(Predicate, object_)), self._number_name(subject), NONE)
            else:
                number, who = self._number_property(cast(Predicate, predicate)), self._number_name(subject)
                what = self._number_object(object_)
                if what < 0:
                    what, given[len(flat) // 3] = self._variants[~what]
                flat += (number, who, what)
        facts = np.array(flat, np.int32).reshape(-1, 3)
        return Encoded(facts, forms_given(facts, given))

    def encode_table(self, table: pa.Table, scope: str) -> Encoded:
        """The facts of an Arrow table with columns `subject`, `predicate`, `object` of N-Triples terms.

        Blank nodes are scoped to the message, which `scope` names. Costs a dictionary look-up a distinct
        term; the rest is done by column.

        Raises:
            InvalidTripleError: a column is missing, a cell is null or no term.
        """
        roles = self._roles
        return self._encode_columns(
            columns_of(table), lambda texts, place: self._numbers_of(texts, scope, roles[place])
        )

    def encode_columnar(self, triples: ColumnarTriples) -> Encoded:
        """What `encode` gives for triples that are held by column; blank nodes are those that are written.

        Costs a dictionary look-up a distinct term of each part; the rest is done by column.
        """
        encoded = [
            self._encode_columns(part, self._canonical_numbers)
            if isinstance(part, TripleColumns)
            else self.encode(part)
            for part in triples.parts
        ]
        return Encoded.together(encoded)

    def _encode_columns(self, columns: TripleColumns, numbers_of: _NumbersOf) -> Encoded:
        subjects, predicates, objects = columns.subject, columns.predicate.occurring(), columns.object
        types = np.fromiter(map(_is_type, predicates.distinct), bool, len(predicates.distinct))
        is_class = types[predicates.codes] if len(types) else np.zeros(0, bool)
        facts = np.empty((len(subjects.codes), 3), np.int32)
        facts[is_class, 2] = NONE
        entries: tuple[tuple[int, Place, slice | npt.NDArray[np.bool_], TermColumn], ...] = (
            (1, "subject", slice(None), subjects),
            (0, "predicate", ~is_class, predicates),
            (0, "class", is_class, objects),
            (2, "object", ~is_class, objects),
        )
        for at, place, rows, column in entries:
            occurring = column.occurring(rows)
            numbers = numbers_of(occurring.distinct.tolist(), place)
            facts[rows, at] = np.array(numbers, np.int32)[occurring.codes]
        forms = self.take_forms(facts, np.flatnonzero(~is_class & (facts[:, 2] < 0)), len(facts))
        return Encoded(facts, forms)

    def take_forms(self, facts: Integers, rows: npt.NDArray[np.intp], asserted: int) -> Forms:
        """The forms that stand in `rows` in place of objects, which are put there.

        Only those of the first `asserted` facts count.
        """
        given: dict[int, Literal] = {}
        for row in rows.tolist():
            facts[row, 2], form = self._variants[~int(facts[row, 2])]
            if row < asserted:
                given[row] = form
        return forms_given(facts[:asserted], given)

    def numbers_of(self, texts: Sequence[str], place: Place, scope: str) -> Integers:
        """The numbers of terms in N-Triples syntax that stand in a place; of an object `~i` where the i-th of
        the variants says both number and form.

        Raises:
            InvalidTripleError: one is no term, or none that may stand there.
        """
        return np.array(self._numbers_of(texts, scope, self._roles[place]), np.int32)

    def _numbers_of(self, texts: Sequence[str], scope: str, role: _Role) -> list[int]:
        return [
            self._number_text(text, scope, role) if number is None else number
            for text, number in zip(texts, map(role.known.get, texts), strict=True)
        ]

    def _canonical_numbers(self, texts: Sequence[str], place: Place) -> list[int]:
        """The numbers of terms that are known to be canonical, and to stand where they may.

        The name of an individual needs no check then: its text is its key.
        """
        role, keys, known, merged = self._roles[place], self.names.keys, self._name_numbers, self._merged
        if place in ("predicate", "class"):
            return self._numbers_of(texts, "", role)
        del keys[len(known) - merged :]
        numbers: list[int] = []
        for text, number in zip(texts, map(known.get, texts), strict=True):
            if number is not None:
                numbers.append(number)
            elif text[0] == '"':
                found = role.known.get(text)
                numbers.append(self._number_text(text, "", role) if found is None else found)
            else:
                number = len(keys)
                keys.append(text)
                known[text] = number
                numbers.append(number)
        return numbers

    def _number_text(self, text: str, scope: str, role: _Role) -> int:
        if role.has_individuals and is_plain_iri(text):  # which is its key then
            return self._number_key(text, role)
        term = parse_term(text, scope)
        if type(term) not in role.terms:
            raise InvalidTripleError(text, role.expected)
        terms = self._term_count
        number = role.number(term)
        # A text is kept when its term comes again: most of what is new in a stream never does. A blank node's
        # is not, since its label means another node in the next message.
        if self._term_count == terms and not isinstance(term, BNode):
            role.known[text] = number
        return number

    def _number_key(self, text: str, role: _Role) -> int:
        number = self._name_numbers.get(text)
        if number is None:
            return self._add_name(text)
        role.known[text] = number
        return number

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many symbols, names and literals there are."""
        return len(self.symbols), len(self.names), len(self.literals)

    @property
    def _term_count(self) -> int:
        return len(self.symbols) + len(self.names) + len(self.literals) + len(self._variants)

    def number(self, term: Term) -> int:
        """The number of a name or literal, a new one if it has none."""
        if isinstance(term, Literal):
            number = self._number_form(term)
            return self._variants[~number][0] if number < 0 else number
        return self._number_name(term)

    def number_symbol(self, symbol: Symbol) -> int:
        """The number of a class or property, a new one if it has none."""
        return self._number_class(symbol.name) if symbol.arity == 1 else self._number_property(symbol.name)

    def _number_object(self, term: Term) -> int:
        """The number of a name or literal; `~i` where the i-th of `_variants` says both number and form."""
        return self._number_form(term) if isinstance(term, Literal) else self._number_name(term)

    def _number_name(self, name: Term) -> int:
        key = "".join(("<", name, ">")) if type(name) is URIRef else key_of(name)  # a call would cost more
        found = self._name_numbers.get(key)
        if found is None:
            return self._add_name(key)
        return found

    def _add_name(self, key: str) -> int:
        check_text(key)
        keys, number = self.names.keys, len(self._name_numbers) - self._merged
        if len(keys) > number:  # asking is faster than to write over in any case
            del keys[number:]
        keys.append(key)
        self._name_numbers[key] = number
        return number

    def _number_form(self, literal: Literal) -> int:
        found = self._literal_numbers.get(literal)
        if found is not None:
            return found
        value = value_of(literal)
        number = self._value_numbers.get(value)
        if number is None:
            check_text(literal)
            check_text(literal.datatype or "")
            place = len(self._value_numbers)
            number = found = FIRST_LITERAL + place
            self.literals[place:] = (literal,)
            self._note_memberships(place, value)
            if is_ill_typed(value):
                self.ill_typed.add(number)
            else:
                self.ill_typed.discard(number)
            self._value_numbers[value] = number
        else:
            found = ~len(self._variants)
            self.varied.add(number)
            self._variants.append((number, literal))
        self._literal_numbers[literal] = found
        return found

    def _note_memberships(self, place: int, value: Hashable) -> None:
        """Set the bits of the data ranges that the literal at `place`, of this value, is in."""
        width = self._width
        if not width:
            return
        if (place + 1) * width > len(self.memberships):
            larger = np.zeros(max(64, 2 * place) * width, np.uint8)
            larger[: len(self.memberships)] = self.memberships
            self.memberships = larger
        self.memberships[place * width : (place + 1) * width] = 0
        _set_bits(self.memberships, place * width, self._ranges_of.of_value(value))

    def evaluate(self, builtin: int, left: int, right: int) -> int:
        """What a built-in of the program says of the terms of two numbers, `NONE` for an operand it lacks.

        Returns: For a comparison 1 or 0; for a computation the number of its result, `NONE` if it has none.
        """
        name = self._builtins[builtin]
        operands = [self.term(number) for number in (left, right) if number != NONE]
        if name in COMPARISONS:
            return int(holds(name, *operands))
        result = compute(name, *operands)
        return NONE if result is None else self.number(result)

    def _number_class(self, name: Predicate) -> int:
        key = key_of(name)
        found = self._classes.get(key)
        return self._add_symbol(Symbol(name, 1)) if found is None else found

    def _number_property(self, name: Predicate) -> int:
        found = self._properties.get(key_of(name))
        return self._add_symbol(Symbol(name, 2)) if found is None else found

    def _add_symbol(self, symbol: Symbol) -> int:
        """The number of a new symbol, whose name is rdflib's own, whatever class it was given in."""
        number = len(self._classes) + len(self._properties)
        name = symbol.name
        if type(name) not in (URIRef, BNode):
            symbol = Symbol(URIRef(name) if isinstance(name, URIRef) else BNode(name), symbol.arity)
        key = key_of(symbol.name)
        check_text(key)
        self.symbols[number:] = (symbol,)
        (self._classes if symbol.arity == 1 else self._properties)[key] = number
        return number

    # -- looking up without interning --------------------------------------------------------------

    def find_class(self, name: Term) -> int | None:
        """The number of a class, None if it was never met."""
        return self._classes.get(key_of(name))

    def find_property(self, name: Term) -> int | None:
        """The number of a property, None if it was never met."""
        return None if isinstance(name, Literal) else self._properties.get(key_of(name))

    def find(self, term: Term) -> int | None:
        """The number of a name or literal, None if it was never met."""
        if not isinstance(term, Literal):
            return self._name_numbers.get(key_of(term))
        return self._value_numbers.get(value_of(term))

    @property
    def has_variants(self) -> bool:
        """Whether a value was met in more than one form."""
        return bool(self.varied)

    # -- out ---------------------------------------------------------------------------------------

    def term(self, number: int) -> Term:
        """The term of a number."""
        return self.lexicon.term(number)

    def decode(self, facts: Integers | Sequence[Sequence[int]], forms: Forms = NO_FORMS) -> Iterator[Triple]:
        """The triples of facts, in their order, with the forms that `forms` says their literals have."""
        return self.lexicon.decode(facts, forms)

    # -- forgetting --------------------------------------------------------------------------------

    @property
    def mark(self) -> tuple[int, ...]:
        """How much it knows now, for `back_to`."""
        return *map(len, self._dictionaries), len(self._variants)

    def back_to(self, mark: tuple[int, ...]) -> None:
        """Forget what was numbered since it was at `mark`, where nothing has such a number any more."""
        *sizes, variants = mark
        for numbers, size in zip(self._dictionaries, sizes, strict=True):
            while len(numbers) > size:
                numbers.popitem()
        del self._variants[variants:]
        del self.literals[len(self._value_numbers) :]
        del self.names.keys[len(self._name_numbers) - self._merged :]
        del self.symbols[len(self._classes) + len(self._properties) :]

    def _all_dictionaries(self) -> tuple[dict[Any, int], ...]:
        """All that lead to numbers; those that lead to numbers of others come first."""
        texts = [role.known for role in self._roles.values()]
        numbers = self._value_numbers, self._name_numbers, self._classes, self._properties
        return *texts, self._literal_numbers, *numbers

    @property
    def size(self) -> int:
        """How many entries there are for symbols and terms: those by term, by text, and by form."""
        return self._term_count + sum(map(len, self._dictionaries[: len(self._roles)]))

    @property
    def tables(self) -> Tables:
        """All of it that another numbering replaces; `take` puts it back."""
        return Tables(
            self.lexicon,
            self._classes,
            self._properties,
            self._name_numbers,
            self._value_numbers,
            self._literal_numbers,
            self._variants,
            self.ill_typed,
            self.memberships,
            self._roles,
        )

    def take(self, tables: Tables) -> None:
        """Go on with other tables. Needs no memory; broken off, it is to be done again."""
        lexicon = self.lexicon = tables.lexicon
        self.symbols, self.names, self.literals = lexicon.symbols, lexicon.names, lexicon.literals
        self.varied, self._classes, self._properties = lexicon.varied, tables.classes, tables.properties
        self._name_numbers, self._value_numbers = tables.name_numbers, tables.value_numbers
        self._literal_numbers, self._variants = tables.literal_numbers, tables.variants
        self.ill_typed, self.memberships, self._roles = tables.ill_typed, tables.memberships, tables.roles
        self._dictionaries = self._all_dictionaries()

    def renamed(self, renaming: Renaming) -> Tables:
        """The tables with only what `renaming` keeps, in the new numbers; nothing changes yet.

        Of a value that is kept the first form is; that it was met in others is remembered, which ones is not.
        Costs O(1) for each entry.
        """
        symbols, names = renaming.symbols.tolist(), renaming.names.tolist()
        literals = renaming.literals.tolist()
        kept_names, kept_literals = renaming.kept_names, renaming.kept_literals
        everything = renaming.keeps_symbols  # mostly: then nothing of them is made anew
        lexicon = Lexicon(
            self.symbols
            if everything
            else [self.symbols[number] for number in renaming.kept_symbols.tolist()],
            Names(list(map(self.names.keys.__getitem__, kept_names.tolist()))),
            list(map(self.literals.__getitem__, kept_literals.tolist())),
            self.varied.kept(kept_literals),
        )
        return Tables(
            lexicon,
            self._classes if everything else _kept(self._classes, symbols),
            self._properties if everything else _kept(self._properties, symbols),
            _kept(self._name_numbers, names),
            {
                value: new
                for value, old in self._value_numbers.items()
                if (new := literals[old - FIRST_LITERAL]) != NONE
            },
            {literal: FIRST_LITERAL + place for place, literal in enumerate(lexicon.literals)},
            [],
            self.ill_typed.kept(kept_literals),
            self._kept_memberships(kept_literals),
            {
                place: role._replace(known=_kept_texts(place, role.known, names, literals))
                for place, role in self._roles.items()
            },
        )

    def _kept_memberships(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
        """The bits of the literals at `places`, with room for more."""
        width = self._width
        kept = np.zeros(max(64, 2 * len(places)) * width, np.uint8)
        if width and len(places):
            bits = self.memberships[: len(self.literals) * width].reshape(-1, width)
            kept[: len(places) * width] = bits[places].ravel()
        return kept


def _set_bits(memberships: npt.NDArray[np.uint8], start: int, ranges: Iterable[int]) -> None:
    """Note that a literal, whose bits begin at the byte `start`, is in `ranges`."""
    for number in ranges:
        memberships[start + (number >> 3)] |= 1 << (number & 7)


def _kept(known: dict[str, int], numbers: Sequence[int]) -> dict[str, int]:
    """What is known of those that are kept, with their new `numbers`."""
    return {key: new for key, old in known.items() if (new := numbers[old]) != NONE}


def _kept_texts(
    place: Place, known: dict[str, int], names: Sequence[int], literals: Sequence[int]
) -> dict[str, int]:
    """The texts of terms that are kept, with their new numbers.

    None for symbols, each of which is met often, nor where terms were written in so many ways that the texts
    would be more than the terms.
    """
    if place not in ("subject", "object"):
        return {}
    kept = {
        text: new
        for text, old in known.items()
        if old >= 0 and (new := names[old] if old < FIRST_LITERAL else literals[old - FIRST_LITERAL]) != NONE
    }
    return kept if len(kept) <= len(set(kept.values())) + 64 else {}


def _is_type(text: str) -> bool:
    """Whether a term is rdf:type, however it is written."""
    return text == f"<{_TYPE}>" or ("\\" in text and parse_term(text) == RDF_TYPE)
