"""Constructor functions (SPARQL 1.1, section 17.5)."""

import pytest

from asked import result


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('xsd:integer(" 01 ")', "1^integer"),
        ('xsd:integer("1.0")', "-"),
        ("xsd:integer(-1.9)", "-1^integer"),
        ("xsd:integer(1e3)", "1000^integer"),
        ('xsd:integer("INF"^^xsd:double)', "-"),
        ("xsd:integer(true)", "1^integer"),
        ('xsd:integer("1"^^xsd:byte)', "1^integer"),
        ('xsd:integer("1"@en)', "-"),
        ("xsd:integer(:a)", "-"),
        ('xsd:decimal("1.50")', "1.5^decimal"),
        ('xsd:decimal("1e0")', "-"),
        ("xsd:decimal(0.5e0)", "0.5^decimal"),
        ("xsd:decimal(0.1e0)", "0.1000000000000000055511151231^decimal"),
        ('xsd:double("1")', "1.0E0^double"),
        ("xsd:double(0.1)", "1.0E-1^double"),
        ("xsd:float(0.1e0)", "1.0E-1^float"),
        ('xsd:double("0.1"^^xsd:float)', "1.0000000149011612E-1^double"),
        ("xsd:float(1e300)", "INF^float"),
        ('xsd:double("x")', "-"),
        ('xsd:boolean("1")', "true^boolean"),
        ('xsd:boolean("yes")', "-"),
        ("xsd:boolean(0.0)", "false^boolean"),
        ('xsd:boolean("NaN"^^xsd:double)', "false^boolean"),
        ("xsd:string(:a)", '"urn:a"'),
        ("xsd:string(1.0)", '"1"'),
        ("xsd:string(1.50)", '"1.5"'),
        ("xsd:string(01)", '"1"'),
        ("xsd:string(100)", '"100"'),
        ("xsd:string(1e2)", '"100"'),
        ("xsd:string(1e6)", '"1.0E6"'),
        ("xsd:string(1e-6)", '"0.000001"'),
        ("xsd:string(-0e0)", '"-0"'),
        ('xsd:string("1"^^xsd:boolean)', '"true"'),
        ('xsd:string("a"@en)', '"a"'),
        ('xsd:string("x"^^xsd:integer)', '"x"'),
        ('xsd:dateTime("2020-01-01T00:00:00Z")', "2020-01-01T00:00:00Z^dateTime"),
        ('xsd:dateTime("2020-01-01")', "-"),
        ('xsd:date("2020-01-01T10:00:00.5Z"^^xsd:dateTime)', "2020-01-01Z^date"),
        ('xsd:time("2020-01-01T10:00:00.5Z"^^xsd:dateTime)', "10:00:00.5Z^time"),
        ('xsd:dateTime("2020-01-01-05:00"^^xsd:date)', "2020-01-01T00:00:00-05:00^dateTime"),
        ('xsd:time("2020-01-01"^^xsd:date)', "-"),
        ('xsd:dayTimeDuration("PT36H")', "PT36H^dayTimeDuration"),
        ('xsd:dayTimeDuration("P1M")', "-"),
        ("xsd:byte(127.9)", "127^byte"),
        ("xsd:byte(128)", "-"),
        ('xsd:nonNegativeInteger("-1")', "-"),
        (":function(1)", "-"),
        ("xsd:integer(1, 2)", "-"),
    ],
)
def test_casts(expression, expected):
    assert result(expression) == expected
