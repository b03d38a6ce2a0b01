"""Values on their way to the workers."""

import pickle

from pantarhei import Ontology
from pantarhei.spark.shards.setup import Shipped


def test_a_shipped_value_is_unpickled_once_in_a_process():
    shipped = Shipped(Ontology.from_rules([]))
    copies = [pickle.loads(pickle.dumps(shipped)) for _ in range(2)]
    assert copies[0].value is copies[1].value
    assert Shipped(copies[0].value).name != shipped.name
