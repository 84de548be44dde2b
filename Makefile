# Two targets set everything up by themselves: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
# The suite starts hundreds of interpreters, which would compile the package anew without .pyc files.
export PYTHONDONTWRITEBYTECODE :=
SANITIZERS = LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
SOURCES := $(wildcard celab/_native/*.pyx celab/_native/*.px[di] celab/_native/*.h lexicons/*.tsv)

ESLINT := .venv/node/node_modules/.bin/eslint
.PHONY: demo test check test-integrations test-lowest release-check coverage debug sanitize sanitize-kernels bench agreement lint lint-scripts docs gallery golden clean

demo: .venv/built  ## score the bundled example
	$(BIN)/celab-score examples/ref*.zh examples/hyp1.zh
	$(BIN)/celab-score examples/ref*.zh examples/hyp2.zh
	$(BIN)/celab explain 2 examples/ref1.zh examples/hyp1.zh

# Each test runs once: those that take long or need a browser in `make check`.
MARKED := not thorough and not browser
test: .venv/built .venv/test  ## the suite without what takes long or needs a browser
	$(BIN)/pytest -n auto --dist worksteal -m '$(MARKED)'

check:  ## all other checks, with time limits: .ci/check.py has the list; after `make test`
	$(PYTHON) .ci/check.py

# The examples of the pages, and a few tests of each package.
LOWEST := tests/repository/test_docs.py tests/repository/test_examples.py tests/cli/test_cli_compare.py \
	tests/cli/test_cli_sacrebleu.py tests/unit/words tests/unit/distributed tests/unit/training tests/unit/nbest \
	tests/unit/lexicon/test_fetch.py tests/unit/report/test_plots.py tests/unit/serve
test-lowest: .venv/lowest/installed  ## examples with the lowest versions of packages that pyproject.toml allows
	PYTHONPATH=$(CURDIR) .venv/lowest/bin/pytest -p no:cacheprovider -o addopts= -q -rs -m '$(MARKED)' $(LOWEST)

# In an environment of its own, for the Python that pyproject.toml names as the lowest.
.venv/lowest/installed: .venv/built pyproject.toml .ci/lowest.py
	test -d .venv/lowest/bin || $(PYTHON) -m venv .venv/lowest
	$(BIN)/python .ci/lowest.py > .venv/lowest/requirements.txt
	.venv/lowest/bin/pip install --quiet --requirement .venv/lowest/requirements.txt pytest hypothesis
	touch $@

test-integrations: .venv/test .venv/integrations/installed .venv/toolkit/installed  ## adapters and readers beside the real packages
	PYTHONPATH=$(CURDIR) .venv/integrations/bin/pytest -p no:cacheprovider -o addopts= -q -rs tests/integrations
	$(BIN)/pytest -m 'not browser' tests/oracle/test_translation_files.py

# In an environment of their own: the harnesses bring much that celab does not need.
.venv/integrations/installed: .venv/built pyproject.toml
	test -d .venv/integrations/bin || $(PYTHON) -m venv .venv/integrations
	$(BIN)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; print(*project["dependencies"], *project["optional-dependencies"]["integrations"], sep="\n")' > .venv/integrations/requirements.txt
	.venv/integrations/bin/pip install --quiet --requirement .venv/integrations/requirements.txt
	touch $@

# In an environment of its own, too: translate-toolkit is under the GPL, so it is never a dependency.
.venv/toolkit/installed: Makefile
	test -d .venv/toolkit/bin || $(PYTHON) -m venv .venv/toolkit
	.venv/toolkit/bin/pip install --quiet translate-toolkit aeidon webvtt-py django meeteval
	! command -v npm > /dev/null || npm install --silent --no-audit --no-fund --prefix .venv/toolkit/npm \
		strings-file android-string-resource dot-properties plist@3 chrome-i18n i18next-conv
	touch $@

release-check: .venv/release/installed  ## build, check, install and try what a release would publish
	.venv/release/bin/python .ci/release_check.py

# The pinned tools of the workflow, in an environment of their own.
.venv/release/installed: .github/requirements/release.txt
	test -d .venv/release/bin || $(PYTHON) -m venv .venv/release
	.venv/release/bin/pip install --quiet --require-hashes --requirement $<
	touch $@

coverage: .venv/built .venv/test  ## the whole suite, and the share of lines and branches that it runs
	$(BIN)/pytest -n auto --dist worksteal --cov --cov-report=term

debug: .venv/built .venv/test  ## the whole suite on kernels with bounds checks
	CELAB_DEBUG=1 $(BIN)/pip install --quiet --editable . && rm -f .venv/built
	$(BIN)/pytest -n auto --dist worksteal

# In a copy, because such kernels cannot be loaded without their libraries; Python and all packages
# are those of .venv. Leaks are tested by tests/library/test_stress.py. Tests that cannot run there
# have the marker `unsanitized`, with the reason.
sanitize: build/sanitize/built  ## the suite under AddressSanitizer and UndefinedBehaviorSanitizer; needs gcc
	$(call sanitized,)

sanitize-kernels: build/sanitize/built  ## the kernels' tests under the sanitizers
	$(call sanitized,tests/unit/native tests/oracle tests/unit/exact)

define sanitized
	$(COPY)
	cd build/sanitize && $(WATCHED) $(SANITIZERS) $(CURDIR)/$(BIN)/pytest -n auto --dist worksteal -o faulthandler_timeout=1800 $(1)
endef
# What is gone from here goes there, too; only what was built stays.
COPY = find build/sanitize -type f ! -name '*.so' ! -name built -delete && \
	tar -c --exclude=./build --exclude=./.venv --exclude='*.so' --exclude='*.cpp' --exclude=_shared.c . | tar -x -C build/sanitize
WATCHED = CELAB_SANITIZE=1 PYTHONPATH=$(CURDIR)/build/sanitize

build/sanitize/built: .venv/built .venv/test setup.py $(SOURCES)
	mkdir -p build/sanitize && ln -sfn ../../shared build/shared
	$(COPY)
	cd build/sanitize && $(WATCHED) $(CURDIR)/$(BIN)/python setup.py --quiet build_ext --inplace
	touch $@

bench: .venv/built .venv/bench .venv/plot  ## the figures and the plot of bench/README.md
	$(BIN)/python bench/run.py

agreement: .venv/built .venv/bench  ## agreement with human judgments: bench/agreement.md, docs/agreement.md; needs data
	$(BIN)/python bench/agreement_people.py

docs: .venv/built .venv/docs .venv/plot  ## the plots of docs/pictures and the site, in build/site
	$(BIN)/python docs/make_options.py
	$(BIN)/python docs/make_pictures.py
	$(BIN)/mkdocs build --strict

gallery: .venv/built .venv/test  ## the pictures in docs/*.md; needs chromium
	$(BIN)/python docs/make_gallery.py

golden: .venv/built .venv/test  ## outputs of tests/golden and of the notebook, written anew; review them
	$(BIN)/pytest tests/golden tests/repository/test_notebook.py --update

lint: .venv/built .venv/lint lint-scripts  ## style, types, imports, spelling, our lexicons
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	PATH="$(BIN):$$PATH" $(BIN)/cython-lint celab/_native
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest celab._native --concise --mypy-config-file pyproject.toml \
		--allowlist tests/stubtest-allowlist.txt --ignore-unused-allowlist
	$(BIN)/lint-imports
	$(BIN)/python lexicons/check.py
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md celab tests bench docs \
		examples/README.md examples/judged/README.md

lint-scripts: .venv/built  ## the modules of the pages, by eslint; skipped without npm or its registry
	@if ! command -v npm > /dev/null; then echo "skipped: eslint and axe-core: there is no npm"; \
	elif ! $(MAKE) -q .venv/node/installed && ! npm ping --silent --fetch-retries 0; \
	then echo "skipped: eslint and axe-core: npm cannot reach its registry"; \
	else $(MAKE) --no-print-directory .venv/node/installed && $(ESLINT) --config tests/eslint.config.mjs celab/report/html/templates; fi

.venv/node/installed: Makefile
	npm install --prefix .venv/node --no-save --silent eslint@9 axe-core@4
	touch $@

clean:
	rm -rf .venv build dist *.egg-info celab/_native/*.cpp celab/_native/_shared.c celab/_native/*.so \
		celab/lexicon/bundled

.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "$(PYTHON) is too old: celab needs" \
		" Python 3.11 or later; run make PYTHON=python3.12, for example")'
	$(PYTHON) -m venv .venv  # brings pip 22.3 or later, which is new enough

.venv/built: .venv/bin/pip pyproject.toml setup.py $(SOURCES)
	@echo "compiling celab and installing it in .venv; this takes a few minutes"
	$(BIN)/pip install --quiet --editable .
	touch $@

# What an extra names, without building the package again.
.venv/test .venv/bench .venv/docs .venv/plot .venv/lint: .venv/built pyproject.toml
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$(@F)"], sep="\n")' > $@.txt
	$(BIN)/pip install --quiet --requirement $@.txt
	touch $@
