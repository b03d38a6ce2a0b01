"""HermiT, a complete OWL 2 DL reasoner, with the explanations of the OWL API, in a process of its own.

HermiT comes with owlready2. It reads functional-style syntax.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

import random_ontologies as random

DRIVER = """
import com.clarkparsia.owlapi.explanation.DefaultExplanationGenerator;
import com.clarkparsia.owlapi.explanation.util.SilentExplanationProgressMonitor;
import java.io.*;
import java.util.Set;
import org.semanticweb.HermiT.*;
import org.semanticweb.owlapi.apibinding.OWLManager;
import org.semanticweb.owlapi.io.StringDocumentSource;
import org.semanticweb.owlapi.model.*;
import org.semanticweb.owlapi.reasoner.*;

public class Driver {
  static Reasoner reasoner;
  static OWLOntology loaded;

  static OWLOntology read(String text) throws Exception {
    return OWLManager.createOWLOntologyManager()
        .loadOntologyFromOntologyDocument(new StringDocumentSource(text));
  }

  static boolean consistent(OWLOntology ontology) {
    Configuration configuration = new Configuration();
    configuration.throwInconsistentOntologyException = false;
    configuration.individualTaskTimeout = 5000;
    reasoner = new Reasoner(configuration, ontology);
    return reasoner.isConsistent();
  }

  /** Numbers of the axioms in each justification, as the comments of the axioms. */
  static String justifications(OWLOntology ontology, OWLAxiom axiom) throws Exception {
    OWLReasonerFactory factory = new Reasoner.ReasonerFactory() {
      @Override protected OWLReasoner createHermiTOWLReasoner(Configuration given, OWLOntology of) {
        given.throwInconsistentOntologyException = false;
        given.individualTaskTimeout = 5000;
        return super.createHermiTOWLReasoner(given, of);
      }
    };
    DefaultExplanationGenerator generator = new DefaultExplanationGenerator(
        ontology.getOWLOntologyManager(), factory, ontology, new SilentExplanationProgressMonitor());
    StringBuilder found = new StringBuilder("found");
    for (Set<OWLAxiom> justification : generator.getExplanations(axiom)) {
      found.append(";");
      for (OWLAxiom each : justification)
        for (OWLAnnotation comment : each.getAnnotations())
          found.append(" ").append(((OWLLiteral) comment.getValue()).getLiteral());
    }
    return found.toString();
  }

  public static void main(String[] arguments) throws Exception {
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    PrintStream out = System.out;
    System.setOut(System.err);
    while (true) {
      byte kind;
      try { kind = in.readByte(); } catch (EOFException end) { return; }
      byte[] text = new byte[in.readInt()];
      in.readFully(text);
      try {
        OWLOntology ontology = read(new String(text, "UTF-8"));
        if (kind == 'O') {
          loaded = ontology;
          out.println(consistent(ontology));
        } else if (kind == 'Q') {
          out.println(reasoner.isEntailed(ontology.getLogicalAxioms()));
        } else {
          out.println(justifications(loaded, ontology.getLogicalAxioms().iterator().next()));
        }
      } catch (Throwable error) {
        out.println(error.getClass().getSimpleName());
      }
      out.flush();
    }
  }
}
"""


class UnansweredError(Exception):
    """HermiT gave up."""


class Hermit:
    """HermiT in a process of its own, which answers one question after the other."""

    def __init__(self, jar: Path, folder: Path) -> None:
        source = folder / "Driver.java"
        source.write_text(DRIVER)
        quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # it runs for seconds
        compiler = ["javac", *(f"-J{option}" for option in quick), "-cp", jar, source]
        subprocess.run(compiler, check=True, capture_output=True)
        command = ["java", "-Xmx500m", *quick, "-cp", f"{jar}:{folder}", "Driver"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)

    def is_consistent(self, axioms: tuple[random.Node, ...]) -> bool:
        """Also loads the axioms: questions are about those loaded last."""
        return self._decide(b"O", random.functional(axioms, numbered=True))

    def entails(self, axiom: random.Node) -> bool:
        return self._decide(b"Q", random.functional([axiom], "urn:question"))

    def justifications(self, axiom: random.Node) -> list[frozenset[int]]:
        """Return the justifications found by the OWL API, as indexes of the axioms loaded last; the first one
        found is first.
        """
        kind, *sets = self._ask(b"E", random.functional([axiom], "urn:question")).split(";")
        if kind != "found":
            raise UnansweredError(kind)
        return [frozenset(map(int, each.split())) for each in sets]

    def _decide(self, kind: bytes, text: str) -> bool:
        answer = self._ask(kind, text)
        if answer not in ("true", "false"):
            raise UnansweredError(answer)
        return answer == "true"

    def _ask(self, kind: bytes, text: str) -> str:
        document = text.encode()
        self.process.stdin.write(kind + struct.pack(">i", len(document)) + document)
        self.process.stdin.flush()
        return self.process.stdout.readline().decode().strip()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()


@contextmanager
def running(folder: Path) -> Iterator[Hermit]:
    """HermiT, compiled in `folder`; the test is skipped if it cannot run."""
    jar = _jar()
    if jar is None:
        pytest.skip("HermiT.jar was not found beside owlready2")
    if not (shutil.which("java") and shutil.which("javac")):
        pytest.skip("no java and javac on the path")
    process = Hermit(jar, folder)
    yield process
    process.close()


def _jar() -> Path | None:
    spec = find_spec("owlready2")
    jar = Path(spec.origin).parent / "hermit" / "HermiT.jar" if spec and spec.origin else None
    return jar if jar is not None and jar.exists() else None
