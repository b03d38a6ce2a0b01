"""Small random datasets and SPARQL queries over them; equal seeds give equal results.

The vocabulary is small, so that joins have results, and values have several lexical forms. Queries are of all
forms and use all of SPARQL 1.1 except random numbers (RAND, UUID), the clock (NOW), the network (SERVICE),
and FROM.
"""

from random_queries.data import GRAPHS, ONTOLOGY, PREFIXES, random_dataset
from random_queries.queries import random_query

__all__ = ["GRAPHS", "ONTOLOGY", "PREFIXES", "random_dataset", "random_query"]
