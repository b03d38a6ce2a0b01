"""A wide table on Spark to Parquet, and answers to Parquet with numeric columns.

python examples/air/job.py air.csv out
"""

import sys
from pathlib import Path

import pantarhei as pr
from pantarhei.spark import run, session

HERE = Path(__file__).parent


def answer(spark, table, out):
    wide, answers = f"{out}/wide", f"{out}/answers"
    spark.read.csv(str(table), header=True, inferSchema=True).write.parquet(wide)
    reasoner = pr.StreamReasoner(pr.load_ontology(HERE.parents[1] / "ontologies/air.ttl"), pr.Window("PT1H"))
    for _ in run(
        reasoner,
        spark.read.parquet(wide),
        mapping=HERE / "mapping.yaml",
        query=(HERE / "query.rq").read_text(),
        output=answers,
        types={"station": "name", "excess": "number"},
    ):
        pass
    return spark.read.parquet(answers)


if __name__ == "__main__":
    answer(session(), *sys.argv[1:]).groupBy("station").max("excess").orderBy("station").show(truncate=False)
