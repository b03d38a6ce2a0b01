"""Vocabulary: terms interned as integers, and triples encoded as facts of three integers.

A fact is a row `(predicate, subject, object)` of int32: `C(x)` is `(C, x, -1)`, `R(x, y)` is `(R, x, y)`.
Classes and properties are numbered together; names and literals are numbered together, with literals from
`FIRST_LITERAL` on. Literals of equal value share a number. If a fact was given with another form than the
first form of its value, this form is returned beside it (`Encoded.forms`). A number keeps its meaning until
the tables are `renamed`; a `lexicon` read before still decodes it.

Exceptions and interrupts may occur at any point. A term is therefore first stored at its index, then its
number in the dictionary. Only numbers in the dictionaries are valid; list entries beyond them are
overwritten.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import filterfalse
from typing import Final, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt
from rdflib import BNode, Literal, URIRef

from pantarhei.encoding.lexicon import LiteralSet, Tables, key_of, keys_of_iris
from pantarhei.encoding.numbers import (
    FIRST_LITERAL,
    NO_FORMS,
    NONE,
    Encoded,
    FactForms,
    Forms,
    Integers,
    Symbol,
)
from pantarhei.errors import InvalidTripleError
from pantarhei.model.data_range import DataRange
from pantarhei.model.rule import Predicate
from pantarhei.model.term import RDF_TYPE, Place, Term, Triple, check_triple, respelled
from pantarhei.rdf.ntriples import is_plain_iri, parse_term
from pantarhei.rdf.triple_table import TermColumn, Texts
from pantarhei.values.by_value import READINGS, Numbers, exact, exact_key
from pantarhei.values.membership import tester
from pantarhei.values.scalar_functions import COMPARISONS, compute, holds, is_true
from pantarhei.values.value import STRING, is_ill_typed

_UNKNOWN: Final = np.iinfo(np.int32).min
_COLUMNS: Final = 8  # two blocks: subjects, properties, classes and objects


class _ColumnCache(NamedTuple):
    """Cached numbers and forms of the distinct terms of one column."""

    distinct: Texts
    numbers: npt.NDArray[np.int32]
    forms: dict[int, Literal]


class NumberedColumns:
    """Cache of the numbers in the newest columns, valid for one `revision` of the vocabulary.

    A block of a table may contain many ABoxes; each of its distinct terms is looked up once for all of them.
    """

    def __init__(self) -> None:
        self._revision: object = None
        self._known: OrderedDict[tuple[int, Place], _ColumnCache] = OrderedDict()

    def __reduce__(self) -> tuple[type[NumberedColumns], tuple[()]]:
        return NumberedColumns, ()

    def numbers_of(
        self,
        column: TermColumn,
        place: Place,
        revision: object,
        look_up: Callable[[list[str]], tuple[Integers, Mapping[int, Literal]]],
    ) -> tuple[Integers, dict[int, Literal]]:
        """Return the numbers of a column, and by row index the forms that are not the first ones of their
        values.

        Costs a lookup for each distinct term that was not looked up before.

        Args:
            column: the terms.
            place: position of the terms in their triples.
            revision: the vocabulary's present revision.
            look_up: returns the numbers of texts, and by index their forms.
        """
        if self._revision is not revision:
            self._known.clear()
            self._revision = revision
        known = self._of(column.distinct, place)
        numbers = known.numbers[column.codes]
        unknown = numbers == _UNKNOWN
        if unknown.any():
            codes = column.codes[unknown]
            distinct, first = np.unique(codes, return_index=True)
            new = distinct[np.argsort(first)]  # in order of appearance
            found, forms = look_up(column.distinct[new].tolist())
            known.numbers[new] = found
            known.forms.update((int(new[at]), form) for at, form in forms.items())
            numbers = known.numbers[column.codes]
        if not known.forms:
            return numbers, {}
        rows = np.flatnonzero(np.isin(column.codes, list(known.forms)))
        codes = column.codes[rows].tolist()
        return numbers, {row: known.forms[code] for row, code in zip(rows.tolist(), codes, strict=True)}

    def _of(self, distinct: Texts, place: Place) -> _ColumnCache:
        key = id(distinct), place
        known = self._known.get(key)
        if known is None or known.distinct is not distinct:
            known = self._known[key] = _ColumnCache(distinct, np.full(len(distinct), _UNKNOWN, np.int32), {})
        self._known.move_to_end(key)
        while len(self._known) > _COLUMNS:
            self._known.popitem(last=False)
        return known


class NumberedProgram(Protocol):
    """Symbols, terms, data ranges and built-ins of a program, in the order of their numbers."""

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


class NumberedTerms(NamedTuple):
    """Numbers of terms, and by index the forms that are not the first ones of their values."""

    numbers: Integers
    forms: Mapping[int, Literal]


class Vocabulary:
    """Numbers of symbols and terms. The first numbers are those of a program.

    All terms are kept until the tables are `renamed`. `revision` is a new object whenever numbers may have
    lost their meaning. `fulfilled` has the numbers of values that were reserved or expected and have been
    asserted since, in order; a number may recur.

    Args:
        program: determines the first numbers.
        numbers: an xsd:double is a value of its own (`"by_datatype"`), or equal to its decimal
            (`"by_value"`).
        has_class_variables: rdf:type is a property and classes are names, for rules with class variables.
    """

    def __init__(
        self,
        program: NumberedProgram,
        numbers: Numbers = "by_datatype",
        has_class_variables: bool = False,
    ) -> None:
        self.numbers, self.has_class_variables = numbers, has_class_variables
        self.value_of = READINGS[numbers]
        self.replace_tables(Tables.empty())
        self._merged = 0  # number of names that share the number of another name
        self.columns = NumberedColumns()
        # Assigns the numbers of computed values; None if the vocabulary assigns them.
        self.computed: ComputedForms | None = None
        self.expected: Mapping[Hashable, object] = {}
        """Values without a number that `fulfilled` records when they are asserted; they count in `size`."""
        self._ranges: tuple[DataRange, ...] = ()
        self._ranges_of = tester(())
        self.adopt(program)

    def adopt(self, program: NumberedProgram) -> None:
        """Assign the numbers of `program` to its symbols and terms, and test literals for its data ranges.

        Numbers assigned before must agree with the program (`compile_` with `numbered=self`).
        """
        for symbol in program.predicates[len(self.symbols) :]:
            self._add_symbol(symbol)
        for name in program.names[len(self.names) :]:
            self._number_name(name)
        if program.ranges != self._ranges:
            self._ranges = ()  # until all are computed
            ranges_of, width = tester(program.ranges), (len(program.ranges) + 7) // 8
            memberships = np.zeros(max(64, 2 * len(self.literals)) * width, np.uint8)
            for place, literal in enumerate(self.literals):
                _set_bits(memberships, place * width, ranges_of.of_value(self.value_of(literal)))
            self._ranges_of, self._width, self.memberships = ranges_of, width, memberships
            self._ranges = program.ranges
        self._builtins = program.builtins
        for literal in program.literals[len(self.literals) :]:
            self.number(literal)

    @property
    def ranges(self) -> tuple[DataRange, ...]:
        """Data ranges for which literals are tested."""
        return self._ranges

    # -- encoding --------------------------------------------------------------------------------

    def merge(self, name: Term, others: Iterable[Term]) -> None:
        """Make `others`, which have no numbers yet, synonyms of `name`, with the same number."""
        number = self._number_name(name)
        for other in others:
            self._name_numbers.setdefault(key_of(other), number)
        self._merged = len(self._name_numbers) - len(self.names)

    def encode(self, triples: Iterable[Triple]) -> Encoded:
        """Return the facts of `triples`, in order.

        Raises:
            InvalidTripleError: one is not a triple of RDF terms, or its text is not Unicode. The terms of
                preceding triples have got numbers.
        """
        if (
            isinstance(triples, list | tuple | set | frozenset)
            and (columns := _plain_columns(triples)) is not None
        ):
            return self._encode_columns(*columns)
        flat: list[int] = []
        given: dict[int, Literal] = {}
        for subject, predicate, object_ in list(map(check_triple, triples)):
            if predicate == RDF_TYPE and not self.has_class_variables:
                flat += (self._number_class(cast(Predicate, object_)), self._number_name(subject), NONE)
            else:
                number, who = self._number_property(cast(Predicate, predicate)), self._number_name(subject)
                what = self._number_object(object_)
                if what < 0:
                    what, given[len(flat) // 3] = self._variants[~what]
                flat += (number, who, what)
        facts = np.array(flat, np.int32).reshape(-1, 3)
        return Encoded(facts, Forms.given(facts, given) if given else NO_FORMS)

    def _encode_columns(
        self,
        subjects: Sequence[URIRef],
        predicates: Sequence[URIRef],
        keys: Sequence[str],
        objects: Sequence[URIRef | Literal],
    ) -> Encoded:
        """Encode columns of triples like `encode`. No predicate is `rdf:type`.

        Args:
            subjects, predicates, objects: the columns.
            keys: keys of the predicates.
        """
        facts, given = np.empty((len(subjects), 3), np.int32), dict[int, Literal]()
        known = self._properties
        for key, predicate in dict(zip(keys, predicates, strict=True)).items():
            if key not in known:
                self._number_property(predicate)
        facts[:, 0] = list(map(known.__getitem__, keys))
        if set(map(type, objects)) == {URIRef}:
            names = self._number_iris((*subjects, *cast(Sequence[URIRef], objects)))
            facts[:, 1:].T[...] = np.array(names, np.int32).reshape(2, -1)
            return Encoded(facts, NO_FORMS)
        facts[:, 1] = self._number_iris(subjects)
        found = list(map(self._number_object, objects))
        for place in (place for place, number in enumerate(found) if number < 0):
            found[place], given[place] = self._variants[~found[place]]
        facts[:, 2] = found
        return Encoded(facts, Forms.given(facts, given) if given else NO_FORMS)

    def _number_iris(self, names: Sequence[URIRef]) -> list[int]:
        """Return the numbers of IRIs; an unknown IRI gets a new number."""
        keys, known = keys_of_iris(names), self._name_numbers
        found = list(map(known.get, keys))
        if None not in found:
            return cast(list[int], found)
        fresh = list(filterfalse(known.__contains__, dict.fromkeys(keys)))
        if not all(map(str.isascii, fresh)):
            for key in fresh:
                check_text(key)
        first = len(known) - self._merged
        self.names.keys[first:] = fresh
        known.update(zip(fresh, range(first, first + len(fresh)), strict=True))
        return list(map(known.__getitem__, keys))

    def numbers_of(self, texts: Sequence[str], place: Place, scope: str) -> NumberedTerms:
        """Return the numbers of terms in N-Triples syntax. Costs a dictionary lookup for each.

        Args:
            texts: the terms.
            place: position of the terms in their triples.
            scope: prefix for the labels of blank nodes.

        Raises:
            InvalidTripleError: a text is not a term, or the term is not allowed at the position.
        """
        known = self._texts[place]
        found = [
            self._number_text(text, place, scope, known) if number is None else number
            for text, number in zip(texts, map(known.get, texts), strict=True)
        ]
        return self._with_forms(found)

    def _with_forms(self, found: list[int]) -> NumberedTerms:
        """Convert numbers with references `~i` to variants into numbers and forms."""
        numbers, forms = np.array(found, np.int32), {}
        for place in np.flatnonzero(numbers < 0).tolist():
            numbers[place], forms[place] = self._variants[~found[place]]
        return NumberedTerms(numbers, forms)

    def canonical_numbers(self, texts: Sequence[str], place: Place) -> NumberedTerms:
        """Return the numbers of terms that are known to be canonical and allowed at their position.

        The text of an individual needs no check, since it is the key of the name.
        """
        if not place.is_of_individuals:
            return self.numbers_of(texts, place, "")
        keys, known, written = self.names.keys, self._name_numbers, self._texts[place]
        del keys[len(known) - self._merged :]
        numbers: list[int] = []
        for text, number in zip(texts, map(known.get, texts), strict=True):
            if number is not None:
                numbers.append(number)
            elif text[0] == '"':
                found = written.get(text)
                numbers.append(self._number_text(text, place, "", written) if found is None else found)
            else:
                number = len(keys)
                keys.append(text)
                known[text] = number
                numbers.append(number)
        return self._with_forms(numbers)

    def _number_text(self, text: str, place: Place, scope: str, known: dict[str, int]) -> int:
        if place.is_of_individuals and is_plain_iri(text):  # its text is its key
            number = self._name_numbers.get(text)
            if number is None:
                return self._add_name(text)
            known[text] = number
            return number
        term = parse_term(text, scope)
        place.check(term, text)
        terms = self._term_count
        number = self._number_at(place, term)
        # A text is cached when its term recurs: most new terms of a stream never do. Texts of blank nodes
        # are not cached: in the next message their labels denote other nodes.
        if self._term_count == terms and not isinstance(term, BNode):
            known[text] = number
        return number

    def _number_at(self, place: Place, term: Term) -> int:
        if place is Place.CLASS and not self.has_class_variables:
            return self._number_class(cast(Predicate, term))
        if place is Place.PREDICATE:
            return self._number_property(cast(Predicate, term))
        return self._number_object(term)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Return the numbers of symbols, names and literals."""
        return len(self.symbols), len(self.names), len(self.literals)

    @property
    def _term_count(self) -> int:
        return len(self.symbols) + len(self.names) + len(self.literals) + len(self._variants)

    def number(self, term: Term) -> int:
        """Return the number of a name or literal; an unknown one gets a new number."""
        if isinstance(term, Literal):
            number = self._number_form(term)
            return self._variants[~number][0] if number < 0 else number
        return self._number_name(term)

    def number_symbol(self, symbol: Symbol) -> int:
        """Return the number of a class or property; an unknown one gets a new number."""
        return self._number_class(symbol.name) if symbol.arity == 1 else self._number_property(symbol.name)

    def number_relation(self, symbol: Symbol) -> int:
        """Return the predicate in the facts of a class or property. If classes are names, it is rdf:type for
        a class.
        """
        is_type = symbol.arity == 1 and self.has_class_variables
        return self._number_property(RDF_TYPE) if is_type else self.number_symbol(symbol)

    def _number_object(self, term: Term) -> int:
        """Return the number of a name or literal; `~i` for variant `i`, whose entry has number and form."""
        return self._number_form(term) if isinstance(term, Literal) else self._number_name(term)

    def _number_name(self, name: Term) -> int:
        key = "".join(("<", name, ">")) if type(name) is URIRef else key_of(name)  # inlined for speed
        found = self._name_numbers.get(key)
        if found is None:
            return self._add_name(key)
        return found

    def _add_name(self, key: str) -> int:
        check_text(key)
        keys, number = self.names.keys, len(self._name_numbers) - self._merged
        if len(keys) > number:  # the test is cheaper than overwriting each time
            del keys[number:]
        keys.append(key)
        self._name_numbers[key] = number
        return number

    def _number_form(self, literal: Literal) -> int:
        found = self._literal_numbers.get(literal)
        if found is not None:
            return found
        form = respelled(literal)
        if form is not literal:
            found = self._literal_numbers[literal] = self._number_form(form)
            return found
        value = self.value_of(literal)
        number = self._value_numbers.get(value)
        if number is None:
            number = found = self._add_value(literal, value)
            if value in self.expected:
                self.fulfilled.append(number)
        elif self._is_reserved(number):
            self.literals[number - FIRST_LITERAL] = literal
            self.fulfilled.append(number)
            found = number
        else:
            found = ~len(self._variants)
            self.varied.add(number)
            self._variants.append((number, literal))
        self._literal_numbers[literal] = found
        return found

    def _add_value(self, literal: Literal, value: Hashable) -> int:
        """Return the number of a new value."""
        check_text(literal)
        check_text(literal.datatype or "")
        place = len(self._value_numbers)
        number = FIRST_LITERAL + place
        self.literals[place:] = (literal,)
        self._set_memberships(place, value)
        if is_ill_typed(value):
            self.ill_typed.add(number)
        else:
            self.ill_typed.discard(number)
        self._value_numbers[value] = number
        return number

    def _is_reserved(self, number: int) -> bool:
        """Return true if the number of a value is reserved and the value was not asserted yet."""
        return self.literals[number - FIRST_LITERAL] not in self._literal_numbers

    def reserve(self, term: Term, value: Hashable = None) -> int:
        """Return the number of a term's value; an unknown value gets a new number.

        A new value counts as not seen yet: the first assertion of it determines its first form.

        Args:
            term: the term.
            value: identity of the literal's value (`key`), if known.
        """
        if not isinstance(term, Literal):
            return self._number_name(term)
        if value is None:
            value = self.value_of(term)
        number = self._value_numbers.get(value)
        return self._add_value(term, value) if number is None else number

    def key(self, value: Hashable) -> Hashable:
        """Return the identity of a value in this vocabulary, given its key within its datatype."""
        return exact_key(value) if self.numbers == "by_value" else value

    def has_value(self, value: Hashable) -> bool:
        """Return true if the value with this identity has a number."""
        return value in self._value_numbers

    def shows(self, number: int, term: Term) -> bool:
        """Return true if the value of a number, which is the value of `term`, is displayed as `term`."""
        if number < FIRST_LITERAL:
            return True
        if self._is_reserved(number):
            return False
        known = self.literals[number - FIRST_LITERAL]
        return known == term or (known.datatype == STRING and Literal(str(known)) == term)

    def _set_memberships(self, place: int, value: Hashable) -> None:
        """Set the bits of the data ranges that contain `value`, the value of the literal at index `place`."""
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
        """Evaluate a built-in of the program on the terms with two numbers, `NONE` for a missing operand.

        Returns:
            1 or 0 for a comparison; for a computation the number of its result, `NONE` without a result.
        """
        return self.result(self._builtins[builtin], left, right)

    def result(self, name: URIRef, left: int, right: int) -> int:
        """Evaluate the built-in with this name, like `evaluate`."""
        operands = [self.read(self.term(number)) for number in (left, right) if number != NONE]
        if name in COMPARISONS:
            return int(holds(name, *operands))
        result = compute(name, *operands)
        if result is None:
            return NONE
        return self.number(result) if self.computed is None else self.computed.number(result, self)

    def compares(self, name: URIRef, left: int, right: int) -> bool:
        """Return true if a comparison holds in the semantics of temporal rules (`is_true`)."""
        return is_true(name, *(self.read(self.term(number)) for number in (left, right)))

    def _number_class(self, name: Predicate) -> int:
        key = key_of(name)
        found = self._classes.get(key)
        return self._add_symbol(Symbol(name, 1)) if found is None else found

    def _number_property(self, name: Predicate) -> int:
        found = self._properties.get(key_of(name))
        return self._add_symbol(Symbol(name, 2)) if found is None else found

    def _add_symbol(self, symbol: Symbol) -> int:
        """Return the number of a new symbol. Its name is converted to rdflib's class."""
        number = len(self._classes) + len(self._properties)
        name = symbol.name
        if type(name) not in (URIRef, BNode):
            symbol = Symbol(URIRef(name) if isinstance(name, URIRef) else BNode(name), symbol.arity)
        key = key_of(symbol.name)
        check_text(key)
        self.symbols[number:] = (symbol,)
        (self._classes if symbol.arity == 1 else self._properties)[key] = number
        return number

    # -- lookup without interning -------------------------------------------------------------------

    def find_class(self, name: Term) -> int | None:
        """Return the number of a class, None if it is unknown."""
        return self._classes.get(key_of(name))

    def find_property(self, name: Term) -> int | None:
        """Return the number of a property, None if it is unknown."""
        return None if isinstance(name, Literal) else self._properties.get(key_of(name))

    def find(self, term: Term) -> int | None:
        """Return the number of a name or literal, None if it is unknown."""
        if not isinstance(term, Literal):
            return self._name_numbers.get(key_of(term))
        return self._value_numbers.get(self.value_of(respelled(term)))

    def read(self, term: Term) -> Term:
        """Return the term that built-ins and data ranges evaluate: for a double its decimal, if `numbers` is
        `"by_value"`.
        """
        return exact(term) if self.numbers == "by_value" else term

    def with_classes(self, facts: Integers) -> Integers:
        """Return facts in which rdf:type facts are replaced by class facts, as a vocabulary without class
        variables encodes them.

        A class that has no number as a symbol gets a new one. Costs sorting the facts of rdf:type.

        Args:
            facts: shape (n, 3), or with further columns, which are kept.
        """
        number = self._properties.get(key_of(RDF_TYPE)) if self.has_class_variables else None
        rows = np.flatnonzero(facts[:, 0] == number) if number is not None else ()
        if not len(rows):
            return facts
        found, places = np.unique(facts[rows, 2], return_inverse=True)
        classes = [self._number_class(cast(Predicate, self.term(name))) for name in found.tolist()]
        made = facts.copy()
        made[rows, 0], made[rows, 2] = np.array(classes, np.int32)[places], NONE
        return made

    def with_types(self, facts: Integers) -> Integers:
        """Return facts as this vocabulary encodes them: if classes are names, class facts are replaced by
        rdf:type facts.

        The inverse of `with_classes`.
        """
        rows = np.flatnonzero(facts[:, 2] == NONE) if self.has_class_variables else ()
        if not len(rows):
            return facts
        found, places = np.unique(facts[rows, 0], return_inverse=True)
        names = [self._number_name(self.symbols[symbol].name) for symbol in found.tolist()]
        made = facts.copy()
        made[rows, 0], made[rows, 2] = self._number_property(RDF_TYPE), np.array(names, np.int32)[places]
        return made

    def predicates_of(self, facts: Integers) -> set[Symbol]:
        """Return the classes and properties of facts. Costs one Python step for each fact."""
        found = {self.symbols[number] for number in set(facts[:, 0].tolist())}
        if self.has_class_variables and Symbol(RDF_TYPE, 2) in found:
            classes = set(facts[facts[:, 0] == self._number_property(RDF_TYPE), 2].tolist())
            found |= {Symbol(cast(Predicate, self.term(number)), 1) for number in classes}
        return found

    # -- decoding --------------------------------------------------------------------------------

    def term(self, number: int) -> Term:
        """Return the term of a number."""
        return self.lexicon.term(number)

    def decode(
        self, facts: Integers | Sequence[Sequence[int]], forms: FactForms = NO_FORMS.by_fact
    ) -> Iterator[Triple]:
        """Return the triples of facts, in order, with the literal forms of `forms`."""
        return self.lexicon.decode(facts, forms)

    # -- removal ---------------------------------------------------------------------------------

    @property
    def mark(self) -> tuple[int, ...]:
        """Return the present sizes, for `roll_back_to`."""
        return *map(len, self._dictionaries), len(self._variants), len(self.fulfilled)

    def roll_back_to(self, mark: tuple[int, ...]) -> None:
        """Drop all numbers assigned since `mark`. None of them may be in use."""
        self.revision = object()
        *sizes, variants, fulfilled = mark
        for numbers, size in zip(self._dictionaries, sizes, strict=True):
            while len(numbers) > size:
                numbers.popitem()
        del self._variants[variants:]
        del self.fulfilled[fulfilled:]
        del self.literals[len(self._value_numbers) :]
        del self.names.keys[len(self._name_numbers) - self._merged :]
        del self.symbols[len(self._classes) + len(self._properties) :]

    def _all_dictionaries(self) -> tuple[dict[str, int] | dict[Literal, int] | dict[Hashable, int], ...]:
        """Return all dictionaries of numbers; a dictionary that refers to entries of another one comes before
        it.
        """
        numbers = self._value_numbers, self._name_numbers, self._classes, self._properties
        return *self._texts.values(), self._literal_numbers, *numbers

    @property
    def size(self) -> int:
        """Number of entries, by term, by text and by form."""
        texts = sum(map(len, self._dictionaries[: len(self._texts)]))
        return self._term_count + texts + len(self.expected)

    @property
    def tables(self) -> Tables:
        """Tables that a renumbering replaces (`Tables.renamed`, `replace_tables`)."""
        del self.names.keys[len(self._name_numbers) - self._merged :]  # entry of an interrupted step
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
            self._width,
            self._texts,
            self.fulfilled,
        )

    def replace_tables(self, tables: Tables) -> None:
        """Replace the tables. Allocates no memory. If interrupted, it must be called again."""
        lexicon = self.lexicon = tables.lexicon
        self.symbols, self.names, self.literals = lexicon.symbols, lexicon.names, lexicon.literals
        self.varied, self._classes, self._properties = lexicon.varied, tables.classes, tables.properties
        self._name_numbers, self._value_numbers = tables.name_numbers, tables.value_numbers
        self._literal_numbers, self._variants = tables.literal_numbers, tables.variants
        self.ill_typed, self._texts = tables.ill_typed, tables.texts
        self.memberships, self._width = tables.memberships, tables.width
        self.fulfilled = tables.fulfilled
        self._dictionaries = self._all_dictionaries()
        self.revision = object()


def _set_bits(memberships: npt.NDArray[np.uint8], start: int, ranges: Iterable[int]) -> None:
    """Set the bits of `ranges` for a literal whose bits start at the byte `start`."""
    for number in ranges:
        memberships[start + (number >> 3)] |= 1 << (number & 7)


def check_text(text: str) -> None:
    """Check that the text of a term is Unicode, so that any file and column can hold it.

    Raises:
        InvalidTripleError: the text has an unpaired surrogate.

    >>> check_text("urn:café")
    """
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        reason = f"{text[error.start]!r} is half a character; decode both halves of it together"
        raise InvalidTripleError(repr(text[:200]), reason) from None


_FEW = 8
"""Fewer triples than this are encoded one by one, which costs less."""

_TYPE = key_of(RDF_TYPE)


_Columns = tuple[tuple[URIRef, ...], tuple[URIRef, ...], list[str], tuple[URIRef | Literal, ...]]


def _plain_columns(triples: Collection[Triple]) -> _Columns | None:
    """Return the columns of triples, and the keys of their predicates.

    None unless subjects and predicates are IRIs, objects are IRIs or literals, and no predicate is
    `rdf:type`.
    """
    if len(triples) < _FEW or set(map(type, triples)) != {tuple} or set(map(len, triples)) != {3}:
        return None
    subjects, predicates, objects = zip(*triples, strict=True)
    are_iris = set(map(type, subjects)) == set(map(type, predicates)) == {URIRef}
    if not are_iris or not set(map(type, objects)) <= {URIRef, Literal}:
        return None
    keys = keys_of_iris(predicates)  # plain strings compare in C, rdflib's terms do not
    return None if _TYPE in keys else (subjects, predicates, keys, objects)


class ComputedForms:
    """Lexical forms of computed values, by number.

    If several ABoxes share a vocabulary, the result for one must not depend on the others. The number of a
    computed value is therefore only reserved: an ABox that asserts the value determines its form; for an ABox
    that does not, the value has the form that was computed.

    Args:
        first: lowest number of a literal whose form may differ between ABoxes.

    Attributes:
        otherwise: values that have another form in the vocabulary, or were computed in several forms.
        several: values computed in several forms, such as `2` and `2.0`; it is unknown by which ABox.
    """

    def __init__(self, first: int) -> None:
        self._first = first
        self._forms: dict[int, Literal] = {}
        self.otherwise, self.several = LiteralSet(), LiteralSet()

    def number(self, result: Literal, vocabulary: Vocabulary) -> int:
        """Return the number of a computed value."""
        number = vocabulary.reserve(result)
        if number < self._first:
            return number
        form = self._forms.setdefault(number, result)
        if form is not result and form != result:
            self.several.add(number)
            self.otherwise.add(number)
        elif vocabulary.literals[number - FIRST_LITERAL] != result:
            self.otherwise.add(number)
        return number

    def form(self, number: int) -> Literal | None:
        """Return the first computed form of a value, None if it was not computed."""
        return self._forms.get(number)

    @contextmanager
    def isolated(self) -> Iterator[None]:
        """Collect the forms that are computed within the context separately."""
        before, self._forms = self._forms, {}
        try:
            yield
        finally:
            self._forms = before
