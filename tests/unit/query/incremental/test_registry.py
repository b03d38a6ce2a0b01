"""What queries are told when they are registered, and afterwards."""

from rdflib import Literal

from followed_queries import Followed


def test_a_query_that_asks_the_time_is_told_it_from_the_beginning():
    followed = Followed()
    followed.push(":a :p :b .")
    asking = followed.register("SELECT ?now { ?s :p ?o BIND(NOW() AS ?now) }")
    assert dict(asking.answers) == {(Literal(1),): 1}
    followed.push(":a :p :b .")
    assert dict(asking.answers) == {(Literal(2),): 1}
