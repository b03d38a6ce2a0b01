from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, XSD, BNode, Literal, Variable

from pantarhei.model.labels import labels_among, labels_of
from pantarhei.model.rule import Atom, Different, Rule
from pantarhei.proofs.sentences import (
    TimeFormat,
    class_phrase,
    denied_statement,
    one_line,
    sentence,
    term_name,
)
from strategies import EX

x, y, z = map(Variable, "xyz")


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("open valve", "an open valve"),
        ("unit", "a unit"),
        ("hour meter", "an hour meter"),
        ("HVAC unit", "an HVAC unit"),
        ("out of range", "out of range"),
        ("near a free meeting room", "near a free meeting room"),
        ("the vessel", "the vessel"),
        ("brakes pressed", "in class 'brakes pressed'"),
        ("gas pedal pressed", "in class 'gas pedal pressed'"),
        ("door open", "in class 'door open'"),
        ("partially closed", "partially closed"),
        ("Fully Open", "Fully Open"),
        ("hospital bed", "a hospital bed"),
        ("movable", "movable"),
        ("overheating", "overheating"),
        ("building", "a building"),
        ("cooling loop", "a cooling loop"),
    ],
)
def test_a_class_is_said_with_an_article_where_it_is_a_noun(label, said):
    assert class_phrase(EX.C, {EX.C: label}) == said


@pytest.mark.parametrize(
    ("property_", "said"),
    [
        (EX.locatedIn, "a is located in b"),
        (EX.partOf, "a is part of b"),
        (EX.on_floor, "a is on floor b"),
        (EX.isIn, "a is in b"),
        (EX.hasPart, "a has part b"),
        (EX.houses, "a houses b"),
        (EX.worksFor, "a works for b"),
        (EX.degreeFrom, "a has degree from b"),
        (EX.securityZone, "a has security zone b"),
        (EX.status, "a has status b"),
        (EX.CO2Level, "a has CO2 level b"),
        (EX["part-of"], "a is part of b"),
        (OWL.sameAs, "a is the same as b"),
    ],
)
def test_a_property_is_said_as_a_verb(property_, said):
    assert sentence((EX.a, property_, EX.b)) == said


BASE_FORMS = {
    "contain": "contains", "identify": "identifies", "have": "has", "possess": "possesses",
    "apply": "applies", "authorize": "authorizes", "belong": "belongs", "include": "includes",
}  # fmt: skip
NOUNS = [
    "feed",
    "measure",
    "level",
    "report",
    "control",
    "size",
    "prize",
    "domain",
    "chain",
    "state",
    "supply",
]


@given(st.sampled_from(sorted(BASE_FORMS)), st.sampled_from(["", " element", " to", " in zone"]))
def test_the_base_form_of_a_verb_is_put_in_the_third_person(verb, rest):
    expected, always = (f"a {adverb}{BASE_FORMS[verb]}{rest} b" for adverb in ("", "always "))
    assert sentence((EX.a, EX.p, EX.b), {EX.p: f"{verb}{rest}"}) == expected
    assert sentence((EX.a, EX.p, EX.b), {EX.p: f"always {verb}{rest}"}) == always
    assert sentence((EX.a, EX.p, EX.b), {EX.p: f"{verb}{rest}".capitalize()}) == expected


@pytest.mark.parametrize("noun", NOUNS)
def test_a_noun_that_looks_like_a_verb_is_a_noun(noun):
    assert sentence((EX.a, EX[noun], EX.b)) == f"a has {noun} b"
    assert class_phrase(EX[noun.capitalize()]).split()[0] in ("a", "an", "in")


def test_a_subclass_is_said_of_its_members():
    assert sentence((EX.Pump, RDFS.subClassOf, EX.Device)) == "whatever is a pump is a device"
    assert sentence((EX.Pump, RDFS.subClassOf, OWL.Nothing)) == "nothing is a pump"


def test_a_subproperty_is_said_with_names_that_can_be_told_from_the_verb():
    labels = {EX.partOf: "is part of"}
    assert sentence((EX.partOf, RDFS.subPropertyOf, EX.touches), labels) == "'is part of' implies touches"
    for bottom in (OWL.bottomObjectProperty, OWL.bottomDataProperty):
        assert sentence((EX.partOf, RDFS.subPropertyOf, bottom), labels) == "'is part of' relates nothing"
    top = OWL.topObjectProperty
    assert sentence((top, RDFS.subPropertyOf, EX.touches)) == "owl:topObjectProperty implies touches"


def test_words_of_owl_in_facts_are_shown_with_their_prefix():
    assert sentence((EX.a, RDF.type, OWL.Nothing)) == "a is in owl:Nothing"
    assert sentence((EX.a, OWL.bottomObjectProperty, EX.b)) == "a —owl:bottomObjectProperty→ b"
    assert sentence((EX.a, OWL.topDataProperty, Literal(5))) == "a —owl:topDataProperty→ 5"


def test_labels_take_the_place_of_names():
    labels = {EX.a: "pump 7", EX.Running: "running pump", EX.partOf: "belongs to"}
    assert sentence((EX.a, RDF.type, EX.Running), labels) == "pump 7 is a running pump"
    assert sentence((EX.a, EX.partOf, EX.b), labels) == "pump 7 belongs to b"


@pytest.mark.parametrize(
    ("literal", "said"),
    [
        (Literal("85.50", datatype=XSD.decimal), "85.50"),
        (Literal("true", datatype=XSD.boolean), "true"),
        (Literal("high"), "“high”"),
        (Literal("high", lang="en"), "“high”"),
        (Literal("two\nlines"), "“two lines”"),
        (Literal("5 kW", datatype=EX.power), "“5 kW”"),
        (Literal("5; nothing is hot", datatype=XSD.integer), "“5; nothing is hot”"),
    ],
)
def test_a_literal_is_said_without_datatype(literal, said):
    assert term_name(literal) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\u202eflipped", "\\u202eflipped"),
        (" a\t b\u00a0\r\n c ", "a b c"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\ud800", "\\ud800"),
        ("</script>", "</script>"),
    ],
)
def test_what_is_invisible_is_shown(text, said):
    assert one_line(text) == said


def test_long_texts_are_shortened_and_say_how_long_they_are():
    assert one_line("x" * 10_000) == "x" * 80 + "… (10,000 characters)"
    assert one_line("x" * 80) == "x" * 80
    assert one_line(" " * 10_000 + "x").endswith("… (10,001 characters)")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            Rule("cax-dw", (Atom(EX.Open, (x,)), Atom(EX.Shut, (x,))), None),
            "nothing is both open and shut",
        ),
        (
            Rule("cax-dw", (Atom(EX.Smoke, (x,)), Atom(EX.HotSteam, (x,))), None),
            "nothing is in both classes 'smoke' and 'hot steam'",
        ),
        (
            Rule("cax-dw", (Atom(EX.Smoke, (x,)), Atom(EX.Pump, (x,))), None),
            "nothing is both in class 'smoke' and a pump",
        ),
        (
            Rule("cls-com", tuple(Atom(each, (x,)) for each in (EX.Smoke, EX.HotSteam, EX.Air)), None),
            "nothing is in all of the classes 'smoke' and 'hot steam' and 'air'",
        ),
        (
            Rule("cls-com", tuple(Atom(each, (x,)) for each in (EX.Pump, EX.Valve, EX.Air)), None),
            "nothing is a pump and a valve and in class 'air'",
        ),
        (Rule("cls-nothing2", (Atom(EX.Smoke, (x,)),), None), "nothing is in class 'smoke'"),
        (Rule("cls-nothing2", (Atom(EX.Open, (x,)),), None), "nothing is open"),
        (
            Rule("prp-fp", (Atom(EX.isIn, (x, y)), Atom(EX.isIn, (x, z))), None, (Different(y, z),)),
            "nothing is in more than one thing",
        ),
        (
            Rule("prp-fp", (Atom(EX.level, (x, y)), Atom(EX.level, (x, z))), None, (Different(y, z),)),
            "nothing has more than one level",
        ),
        (Rule("prp-irp", (Atom(EX.isIn, (x, x)),), None), "nothing is in itself"),
        (Rule("prp-npa1", (Atom(EX.isIn, (EX.a, EX.a)),), None), "⊥ :- isIn(a, a)."),
        (Rule("eq-diff1", (Atom(OWL.differentFrom, (x, x)),), None), "nothing is different from itself"),
        (Rule("pr-empty", (Atom(EX.isIn, (x, y)),), None), "isIn relates nothing"),
        (
            Rule("pr-empty", (Atom(OWL.bottomDataProperty, (x, y)),), None),
            "owl:bottomDataProperty relates nothing",
        ),
        (Rule("cls-nothing2", (Atom(OWL.Nothing, (x,)),), None), "nothing is in owl:Nothing"),
    ],
)
def test_a_constraint_is_said_as_what_it_forbids(rule, said):
    assert denied_statement(rule) == said


DAY = datetime(2026, 3, 2, 7, tzinfo=UTC)
EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("times", "day", "first"),
    [
        ([DAY, DAY + timedelta(minutes=5)], "2026-03-02 (UTC)", "07:00"),
        ([DAY, DAY + timedelta(seconds=5)], "2026-03-02 (UTC)", "07:00:00"),
        ([DAY, DAY + timedelta(milliseconds=5)], "2026-03-02 (UTC)", "07:00:00.000"),
        ([DAY.replace(tzinfo=EAST)], "2026-03-02 (+02:00)", "07:00"),
        ([DAY, DAY + timedelta(days=1)], None, "2026-03-02 07:00Z"),
        ([DAY.replace(tzinfo=EAST), DAY], "2026-03-02 (+02:00)", "07:00"),
        ([DAY, DAY.replace(tzinfo=EAST)], "2026-03-02 (+02:00)", "09:00"),
        ([7, 9], None, "7"),
        ([0.5], None, "0.5"),
    ],
)
def test_the_day_is_said_once_where_it_is_one(times, day, first):
    shown = TimeFormat.of(times)
    assert (shown.day, shown(times[0])) == (day, first)


def test_a_span_goes_from_the_first_to_the_last():
    times = [DAY + timedelta(minutes=minute) for minute in (5, 0, 3)]
    assert TimeFormat.of(times).span(times) == "from 07:00 to 07:05 on 2026-03-02 (UTC)"
    assert TimeFormat.of(times[:1]).span(times[:1]) == "at 07:05 on 2026-03-02 (UTC)"
    assert TimeFormat.of([7]).span([7]) == "at 7"


# Labels of published ontologies, with the sentences that a reader expects.
PROPERTIES = {
    # RO
    "part of": "a is part of b",
    "has part": "a has part b",
    "realized in": "a is realized in b",
    "realizes": "a realizes b",
    "preceded by": "a is preceded by b",
    "precedes": "a precedes b",
    "occurs in": "a occurs in b",
    "contains process": "a contains process b",
    "bearer of": "a is bearer of b",
    "inheres in": "a inheres in b",
    "participates in": "a participates in b",
    "has participant": "a has participant b",
    "is concretized as": "a is concretized as b",
    "concretizes": "a concretizes b",
    "function of": "a is function of b",
    "has function": "a has function b",
    "quality of": "a is quality of b",
    "role of": "a is role of b",
    "has role": "a has role b",
    "derives from": "a derives from b",
    "derives into": "a derives into b",
    "located in": "a is located in b",
    "location of": "a is location of b",
    "contained in": "a is contained in b",
    "contains": "a contains b",
    "overlaps": "a overlaps b",
    "directly positively regulates": "a directly positively regulates b",
    "positively regulates": "a positively regulates b",
    "directly regulates": "a directly regulates b",
    "immediately preceded by": "a is immediately preceded by b",
    "immediately causally upstream of": "a is immediately causally upstream of b",
    "causally upstream of": "a is causally upstream of b",
    "causally upstream of or within": "a —causally upstream of or within→ b",
    "causally upstream of, positive effect": "a —causally upstream of, positive effect→ b",
    "capable of": "a is capable of b",
    "capable of part of": "a is capable of part of b",
    "adjacent to": "a is adjacent to b",
    "has phenotype": "a has phenotype b",
    "has habitat": "a has habitat b",
    "in taxon": "a is in taxon b",
    "only in taxon": "a is only in taxon b",
    "never in taxon": "a is never in taxon b",
    "composed primarily of": "a is composed primarily of b",
    "develops from": "a develops from b",
    "has developmental contribution from": "a has developmental contribution from b",
    "existence starts during": "a —existence starts during→ b",
    "existence overlaps": "a —existence overlaps→ b",
    "results in movement of": "a results in movement of b",
    "synapsed to": "a is synapsed to b",
    "has synaptic terminal in": "a has synaptic terminal in b",
    "connected to": "a is connected to b",
    "has 2D boundary": "a —has 2D boundary→ b",
    "2D boundary of": "a —2D boundary of→ b",
    "attached to": "a is attached to b",
    "surrounded by": "a is surrounded by b",
    "surrounds": "a surrounds b",
    "member of": "a is member of b",
    "has member": "a has member b",
    "has input": "a has input b",
    "output of": "a is output of b",
    "formed as result of": "a —formed as result of→ b",
    "simultaneous with": "a is simultaneous with b",
    "starts with": "a starts with b",
    "ends during": "a ends during b",
    "happens during": "a happens during b",
    "during which ends": "a —during which ends→ b",
    "before or simultaneous with": "a —before or simultaneous with→ b",
    "interacts with": "a interacts with b",
    "molecularly interacts with": "a molecularly interacts with b",
    "phosphorylates": "a phosphorylates b",
    "mutualistically interacts with": "a mutualistically interacts with b",
    "parasite of": "a is parasite of b",
    "host of": "a is host of b",
    "pollinated by": "a is pollinated by b",
    "visits flowers of": "a visits flowers of b",
    "has fasciculating component": "a has fasciculating component b",
    "innervates": "a innervates b",
    "proximally connected to": "a is proximally connected to b",
    "correlated with": "a is correlated with b",
    "negatively correlated with": "a is negatively correlated with b",
    "has exposure stimulus": "a has exposure stimulus b",
    "involved in or regulates": "a —involved in or regulates→ b",
    "acts upstream of": "a acts upstream of b",
    "is active in": "a is active in b",
    "enabled by": "a is enabled by b",
    "enables": "a enables b",
    "lacks part": "a lacks part b",
    "has cross section": "a has cross section b",
    "temporally related to": "a is temporally related to b",
    "helper property (not for use in curation)": "a —helper property (not for use in curation)→ b",
    # Brick
    "Feeds": "a feeds b",
    "Has part": "a has part b",
    "Is part of": "a is part of b",
    "isFedBy": "a is fed by b",
    "hasTimeseriesId": "a has timeseries id b",
    "hasTimeseriesReference": "a has timeseries reference b",
    "objectOf": "a is object of b",
    "Electrical phases": "a —Electrical phases→ b",
    "Rated maximum voltage input": "a —Rated maximum voltage input→ b",
    "Year built": "a —Year built→ b",
    "Has location": "a has location b",
    "aliasOf": "a is alias of b",
    "electrical complex power type": "a —electrical complex power type→ b",
    "numberOfPorts": "a —number of ports→ b",
    "IPAddress": "a has IP address b",
    "addressLine1": "a —addressLine1→ b",
    "preferred": "a —preferred→ b",
    "storedAt": "a is stored at b",
    "objectOfInterest": "a has object of interest b",
    "batteryPercentage": "a has battery percentage b",
    "deprecatedInVersion": "a is deprecated in version b",
    "containsElement": "a contains element b",
    "owns": "a owns b",
    "area": "a has area b",
    "timestamp": "a has timestamp b",
    "georeference": "a has georeference b",
    "coordinates": "a has coordinates b",
    # SOSA
    "observes": "a observes b",
    "hosts": "a hosts b",
    "is hosted by": "a is hosted by b",
    "made by sensor": "a is made by sensor b",
    "made observation": "a has made observation b",
    "observed property": "a has observed property b",
    "phenomenon time": "a has phenomenon time b",
    "result time": "a has result time b",
    "has simple result": "a has simple result b",
    "used procedure": "a has used procedure b",
    "acts on property": "a acts on property b",
    "implemented by": "a is implemented by b",
    "for property": "a is for property b",
    "in deployment": "a is in deployment b",
    "deployed on platform": "a is deployed on platform b",
    "deployed system": "a has deployed system b",
    "has sub system": "a has sub system b",
    "is feature of interest of": "a is feature of interest of b",
    "is proxy for": "a is proxy for b",
    "detects": "a detects b",
    "quality of observation": "a has quality of observation b",
}
CLASSES = {
    # BFO
    "continuant": "a continuant",
    "independent continuant": "an independent continuant",
    "occurrent": "an occurrent",
    "material entity": "a material entity",
    "process": "a process",
    "quality": "a quality",
    "role": "a role",
    "disposition": "a disposition",
    "function": "a function",
    "realizable entity": "a realizable entity",
    "generically dependent continuant": "a generically dependent continuant",
    "one-dimensional spatial region": "a one-dimensional spatial region",
    "zero-dimensional temporal region": "a zero-dimensional temporal region",
    "site": "a site",
    "object aggregate": "an object aggregate",
    "process boundary": "a process boundary",
    "fiat object part": "a fiat object part",
    "history": "a history",
    # GO
    "cell": "a cell",
    "B cell": "in class 'B cell'",
    "nucleus": "a nucleus",
    "biological_process": "a biological process",
    "disease": "a disease",
    "phenotype": "a phenotype",
    "Type 2 diabetes": "in class 'Type 2 diabetes'",
    "cell (sensu Animalia)": "in class 'cell (sensu Animalia)'",
    "disease of anatomical entity": "a disease of anatomical entity",
    "red blood cell": "a red blood cell",
    "plasma membrane": "a plasma membrane",
    "water": "in class 'water'",
    "blood": "in class 'blood'",
    "DNA": "in class 'DNA'",
    "protein": "a protein",
    "chemical entity": "a chemical entity",
    "information content entity": "an information content entity",
    "planned process": "a planned process",
    "length": "a length",
    "mass": "in class 'mass'",
    "physical object quality": "a physical object quality",
    "adult stage": "an adult stage",
    # Brick
    "Temperature Sensor": "a Temperature Sensor",
    "Air Handling Unit": "an Air Handling Unit",
    "Equipment": "in class 'Equipment'",
    "HVAC Equipment": "in class 'HVAC Equipment'",
    "Hot Water": "in class 'Hot Water'",
    "Outside Air Temperature Sensor": "an Outside Air Temperature Sensor",
    "Supply Air Temperature Setpoint": "a Supply Air Temperature Setpoint",
    "Variable Air Volume Box With Reheat": "in class 'Variable Air Volume Box With Reheat'",
    "Leaving Condenser Water Temperature Sensor": "in class 'Leaving Condenser Water Temperature Sensor'",
    "Lighting": "in class 'Lighting'",
    "Fan Status": "in class 'Fan Status'",
    "On Off Status": "in class 'On Off Status'",
    "CO2 Sensor": "a CO2 Sensor",
    "PM10 Sensor": "a PM10 Sensor",
    "BACnet Controller": "in class 'BACnet Controller'",
    "Elevator": "an Elevator",
    "Mezzanine level": "in class 'Mezzanine level'",
    "PhoneBooth": "a phone booth",
    "Data size observation": "a Data size observation",
    "Water Usage Sensor": "a Water Usage Sensor",
    "HVAC Valve": "an HVAC Valve",
    "Alarm": "an Alarm",
    "Space": "a Space",
    "Room": "a Room",
    "Parking Level": "in class 'Parking Level'",
    "Energy": "in class 'Energy'",
    "Electrical Energy": "in class 'Electrical Energy'",
    "Occupancy Percentage": "in class 'Occupancy Percentage'",
    "Frequency": "in class 'Frequency'",
    "Tag": "a Tag",
    "Chilled_Water": "in class 'chilled water'",
    "Luminance": "in class 'Luminance'",
    "Air Quality": "an Air Quality",
    "High Static Pressure Cutout Setpoint Limit": "in class 'High Static Pressure Cutout Setpoint Limit'",
    # QUDT
    "high temperature": "in class 'high temperature'",
    "low pressure": "in class 'low pressure'",
    "normal temperature": "in class 'normal temperature'",
    "Unit": "a Unit",
    "Quantity Kind": "a Quantity Kind",
    "Dimension Vector": "a Dimension Vector",
    "Base Dimension Magnitude": "a Base Dimension Magnitude",
    "Physical Constant": "a Physical Constant",
    "temperature": "in class 'temperature'",
    "relative humidity": "in class 'relative humidity'",
    "speed": "in class 'speed'",
    "power": "in class 'power'",
    "boolean encoding": "a boolean encoding",
    "Rule": "a Rule",
    "Thermodynamics": "in class 'Thermodynamics'",
    "Mechanics": "in class 'Mechanics'",
    "Prefix": "a Prefix",
    # SAREF
    "Device": "a Device",
    "Actuator": "an Actuator",
    "Open state": "an Open state",
    "Close command": "a Close command",
    "Energy efficiency": "in class 'Energy efficiency'",
    "Task": "a Task",
    "Washing machine": "a Washing machine",
    "Smart meter": "a Smart meter",
    "Commodity": "a Commodity",
    "Profile": "a Profile",
    "Measurement": "a Measurement",
    "Feature of interest": "a Feature of interest",
    "Door switch": "a Door switch",
    "Occupancy": "in class 'Occupancy'",
    "Smoke": "in class 'Smoke'",
    "Gas": "a Gas",
    "Precipitation": "in class 'Precipitation'",
}


@pytest.mark.parametrize(("label", "said"), PROPERTIES.items())
def test_labels_of_properties_of_published_ontologies_read_well(label, said):
    assert sentence((EX.a, EX.RO_0002629, EX.b), {EX.RO_0002629: label}) == said


@pytest.mark.parametrize(("label", "said"), CLASSES.items())
def test_labels_of_classes_of_published_ontologies_read_well(label, said):
    assert class_phrase(EX.BFO_0000002, {EX.BFO_0000002: label}) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (EX.BFO_0000050, "a —BFO_0000050→ b"),
        (EX.temp_c, "a —temp_c→ b"),
        (EX.R, "a —R→ b"),
        (EX.sfWithin, "a —sfWithin→ b"),
        (EX.madeBySensor, "a is made by sensor b"),
        (EX["part-of"], "a is part of b"),
        (EX.used, "a —used→ b"),
        (EX.wasGeneratedBy, "a was generated by b"),
        (EX.gasLevel, "a has gas level b"),
        (EX.keywords, "a has keywords b"),
        (EX.alwaysLocatedIn, "a is always located in b"),
        (EX.existenceOverlaps, "a —existence overlaps→ b"),
    ],
)
def test_a_property_that_is_neither_verb_nor_noun_for_sure_has_an_arrow(name, said):
    assert sentence((EX.a, name, EX.b)) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (EX.RunningPump, "a running pump"),
        (EX.Air_Handling_Unit, "an air handling unit"),
        (EX.BFO_0000002, "in class BFO_0000002"),
        (EX.HighTemperature, "in class 'high temperature'"),
        (EX.A, "in class A"),
        (EX.Room101, "in class Room101"),
        (EX.PM10Sensor, "a PM10 sensor"),
        (EX.TooHot, "too hot"),
        (EX.MemberOfTheFirstUniversity, "a member of the first university"),
        (EX.OutsideAirTemperatureSensor, "an outside air temperature sensor"),
        (EX.Outside, "outside"),
        (EX.UncooledVessel, "an uncooled vessel"),
        (EX.Uncooled, "uncooled"),
        (EX.WetnessAndHeat, "in class WetnessAndHeat"),
        (BNode("b"), "in class _:b"),
    ],
)
def test_a_class_that_is_not_surely_a_countable_noun_is_named(name, said):
    assert class_phrase(name) == said


def test_a_single_word_before_a_literal_is_a_verb_only_if_values_are_its_objects():
    assert sentence((EX.garage, EX.spaces, Literal(120))) == "garage —spaces→ 120"
    assert sentence((EX.probe, EX.reads, Literal(70))) == "probe reads 70"
    assert sentence((EX.probe, EX.worksAt, Literal(70))) == "probe works at 70"
    assert sentence((EX.pump, EX.feeds, EX.tank)) == "pump feeds tank"


def test_rules_on_english_words_do_not_apply_to_other_languages():
    german = labels_of(
        [
            (EX.P, RDFS.label, Literal("Pumpe", lang="de")),
            (EX.p, RDFS.label, Literal("liegt in", lang="de")),
            (EX.a, RDFS.label, Literal("Pumpe 1", lang="de")),
        ],
        ["de"],
    )
    assert sentence((EX.a, RDF.type, EX.P), german) == "Pumpe 1 is in class 'Pumpe'"
    assert sentence((EX.a, EX.p, EX.b), german) == "Pumpe 1 —liegt in→ b"
    twice = labels_among({**german, EX.Q: german[EX.P]}, [EX.P, EX.Q])
    assert class_phrase(EX.Q, twice) == "in class 'Pumpe (Q)'"


@given(st.text(max_size=40), st.sampled_from([RDF.type, EX.p]))
def test_any_label_stays_in_its_sentence(label, property_):
    labels = {EX.p: label, EX.C: label, EX.a: label}
    said = sentence((EX.a, property_, EX.C), labels)
    assert "\n" not in said and said.isprintable() | ("\u200c" in said) | ("\u200d" in said)
    assert said == sentence((EX.a, property_, EX.C), dict(labels))
