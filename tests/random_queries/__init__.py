"""Small random datasets and SPARQL queries over them; the same seed gives the same ones.

The vocabulary is small, so that joins find something, and values come in several forms. Queries are of all
forms and have all of SPARQL 1.1 but what draws (RAND, UUID), asks the clock (NOW) or the network (SERVICE),
and FROM.
"""

from random_queries.data import GRAPHS, ONTOLOGY, PREFIXES, random_dataset
from random_queries.queries import random_query

__all__ = ["GRAPHS", "ONTOLOGY", "PREFIXES", "random_dataset", "random_query"]
