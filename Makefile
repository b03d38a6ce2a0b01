# Everything happens in .venv, which these targets make and fill with what is missing.
#   make demo        the main job on three examples, the last on Spark too
#   make serve-demo  the service on a simulated building; BROKER=host:port for a broker of your own
#   make test        the tests of every day: some minutes on two cores
#   make test-all    these and the long ones: clusters, crashes, sessions of their own, slow peers
#   make test-spark  the tests of Spark on another version of it: VERSION=4.0.0, or VERSION=all
#   make test-s3     the tests of streams in S3, with a server that stands for it
#   make check       lint, types, import contract
#   make docs        the site, in build/site; fails on a warning, a broken link, or anything loaded from a network
#   make bench       measurements (never part of the tests); bench-spark those of Spark
#   make bench-page  the newest measurements into the page "Performance"

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
KERNEL := $(wildcard src/pantarhei/materialize/kernel/*.py src/pantarhei/materialize/kernel/*.pxd)
# In two processes; tests/conftest.py says what stays together in one.
TEST := python -m pytest -n 2 --no-loadscope-reorder
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# The kernel is compiled once, by .kernel, and not by each of these.
EDITABLE := PANTARHEI_UNCOMPILED=1 $(PIP) install --no-build-isolation --editable

# Bytecode is kept, whatever the shell says: two processes, and each that a test starts, compile tests or package.
unexport PYTHONDONTWRITEBYTECODE

# The oldest supported version of Spark, and the newest of each minor version.
SPARK_VERSIONS := 4.0.0 4.1.4 4.2.1 4.3.0
# Which of its tests: MARK='not long' for those of every day.
MARK ?=

.PHONY: demo serve-demo test test-all test-spark test-s3 test-checked test-long test-uncompiled check docs bench bench-page bench-spark clean

demo: $(VENV)/.kernel
	@$(BIN)/pantarhei demo

serve-demo: $(VENV)/.serve $(VENV)/.kernel
	@$(BIN)/python examples/service/demo.py $(BROKER)

test: $(VENV)/.dev $(VENV)/.kernel
	$(BIN)/$(TEST) -m 'not long'

test-all: $(VENV)/.dev $(VENV)/.kernel
	HYPOTHESIS_PROFILE=all $(BIN)/$(TEST)

# The tests of Spark, with one version of PySpark before that of .venv; the rest is that of .venv.
test-spark: $(if $(filter all,$(VERSION)),$(SPARK_VERSIONS:%=test-spark-%),test-spark-$(or $(VERSION),$(firstword $(SPARK_VERSIONS))))

test-spark-%: $(VENV)/spark-% $(VENV)/.dev $(VENV)/.kernel
	PYTHONPATH=$(abspath $<) $(BIN)/$(TEST) $(if $(MARK),-m '$(MARK)') tests/unit/spark tests/edge/spark

test-s3: $(VENV)/s3 $(VENV)/.dev $(VENV)/.kernel
	PANTARHEI_S3=$(abspath $<) $(BIN)/python -m pytest tests/edge/spark/test_s3.py

# The random tests on a kernel compiled with bounds checks.
test-checked: $(VENV)/.dev
	PANTARHEI_CHECKED=1 $(BIN)/python setup.py --quiet build --parallel 2 --build-lib build/checked/lib --build-temp build/checked/temp
	PYTHONPATH=build/checked/lib $(BIN)/$(TEST) tests/property tests/unit/materialize

# The state machines for hours rather than seconds.
test-long: $(VENV)/.dev $(VENV)/.kernel
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest --timeout=7200 tests/property/test_stream_reasoner.py

# Installed where there is no compiler, the package works, slowly.
test-uncompiled: $(VENV)/.dev
	rm -rf build/uncompiled && mkdir -p build/uncompiled
	git archive HEAD | tar -x -C build/uncompiled
	CC=/bin/false $(PIP) install --no-deps --no-build-isolation --target build/uncompiled/site ./build/uncompiled
	cd build/uncompiled && ! find site -name '*.so' | grep -q . && PYTHONPATH=site ../../$(BIN)/python -m pantarhei demo --small --no-spark

check: $(VENV)/.check $(VENV)/.kernel
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=tests $(BIN)/lint-imports --no-cache

docs: $(VENV)/.docs $(VENV)/.kernel
	$(BIN)/python -m sphinx -q -E -W --keep-going -n docs build/site
	@echo "the site is build/site/index.html, its external links are listed in build/site/external-links.txt"

bench: $(VENV)/.bench $(VENV)/.kernel
	$(BIN)/python -m bench

bench-page: $(VENV)/.bench
	$(BIN)/python -m bench --results --page docs/performance.md

bench-spark: $(VENV)/.dev $(VENV)/.kernel
	$(BIN)/python -m bench.on_spark

clean:
	rm -rf build $(VENV) src/*.egg-info
	find src -name '*.so' -delete

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version) if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)

# What building and running take.
$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	@echo "installing into $(VENV) (the first time this takes a minute or two: PySpark is large)"
	$(PIP) install 'setuptools>=77' 'Cython>=3.1'
	$(EDITABLE) .
	@touch $@

# Another version of PySpark, with the py4j that it needs: 4.0.5, or 4.0 for the newest one of 4.0.
.PRECIOUS: $(VENV)/spark-%
$(VENV)/spark-%: | $(VENV)/.run
	@echo "installing PySpark $* into $@"
	rm -rf $@.part
	$(PIP) install --no-build-isolation --target $@.part 'pyspark~=$*.0'
	mv $@.part $@

# A server that stands for S3, and Hadoop's connector with Amazon's library, which this package of PyPI contains.
$(VENV)/s3: | $(VENV)/.run
	rm -rf $@.part && mkdir -p $@.part
	$(PIP) install --target $@.part/moto 'moto[s3]>=5' flask flask-cors
	$(PIP) download --no-deps --no-build-isolation --dest $@.part sagemaker-pyspark==1.4.5
	tar -xzf $@.part/sagemaker_pyspark-1.4.5.tar.gz -C $@.part --strip-components=3 --wildcards '*/hadoop-aws-*.jar' '*/aws-java-sdk-bundle-*.jar'
	rm $@.part/*.tar.gz
	mv $@.part $@

# What the checks take besides: mypy looks at the libraries that the tests take too.
$(VENV)/.check: pyproject.toml | $(VENV)/.dev
	$(EDITABLE) '.[check]'
	@touch $@

# What the site takes besides.
$(VENV)/.docs: pyproject.toml | $(VENV)/.run
	$(EDITABLE) '.[docs]'
	@touch $@

# What the service takes besides.
$(VENV)/.serve: pyproject.toml | $(VENV)/.run
	$(EDITABLE) '.[serve,mqtt]'
	@touch $@

# What the tests take besides.
$(VENV)/.dev: pyproject.toml | $(VENV)/.run
	$(EDITABLE) '.[dev]'
	@touch $@

# What the measurements take besides. They go on without what cannot be installed, and say so.
$(VENV)/.bench: pyproject.toml | $(VENV)/.dev
	$(EDITABLE) '.[bench]' && touch $@ || echo "some peers could not be installed"

# The compiled kernel, made again when its source is newer. Without a C compiler this leaves the uncompiled one.
$(VENV)/.kernel: $(VENV)/.run setup.py $(KERNEL)
	@rm -f src/pantarhei/materialize/kernel/*.so
	$(BIN)/python setup.py --quiet build_ext --inplace --parallel 2
	@touch $@
