"""Java's class library, called from Python: its validator of XML Schema 1.0, and other classes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from html import escape

from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from py4j.protocol import Py4JJavaError

from pantarhei.spark.sessions import java_home, spark_java

_XSD = "http://www.w3.org/2001/XMLSchema"


@cache
def java():
    """Return the packages of a Java process that ends with this process."""
    home = java_home(os.environ)
    path = spark_java(os.environ if home is None else {"JAVA_HOME": home})
    small = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    port, token = launch_gateway(java_path=path, javaopts=small, die_on_exit=True, enable_auth=True)
    return JavaGateway(
        gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_convert=True)
    ).jvm


class SimpleType:
    """XML Schema datatype restricted by facets, as implemented by the JDK."""

    def __init__(self, base: str, facets: Sequence[tuple[str, str]] = ()) -> None:
        """Compile the type.

        Raises:
            ValueError: the JDK rejects a facet or its value.
        """
        narrowed = "".join(f'<x:{facet} value="{_in_xml(value)}"/>' for facet, value in facets)
        schema = (
            f'<x:schema xmlns:x="{_XSD}"><x:element name="v"><x:simpleType>'
            f'<x:restriction base="x:{base}">{narrowed}</x:restriction>'
            "</x:simpleType></x:element></x:schema>"
        )
        try:
            self._validator = _schemas().newSchema(_source(schema)).newValidator()
        except Py4JJavaError as error:
            raise ValueError(error.java_exception.getMessage()) from None

    def has(self, text: str) -> bool:
        """True if an element with this text has a value of the type."""
        with suppress(Py4JJavaError):
            self._validator.validate(_source(f"<v>{_in_xml(text)}</v>"))
            return True
        return False


@cache
def _schemas():
    return java().javax.xml.validation.SchemaFactory.newInstance(_XSD)


@cache
def _classes():
    return java().javax.xml.transform.stream.StreamSource, java().java.io.StringReader


def _source(text: str):
    source, reader = _classes()
    return source(reader(text))


def _in_xml(text: str) -> str:
    """Escape a text for XML; white space becomes character references, which parsers keep."""
    return "".join(f"&#{ord(each)};" if each in "\t\n\r" else each for each in escape(text))
