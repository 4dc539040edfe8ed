# Two commands. Each does all set-up on a fresh Debian 12 and then its job.
#
#   make study               the scaling study of counting diamonds in a graph that knee generates
#   make study GRAPH=file    the same on any edge list
#   make test                every test

GRAPH ?= rmat:17
export PATH := $(HOME)/.cargo/bin:$(PATH)

.PHONY: study test
study:
	@ci/setup.sh study
	@.venv/bin/knee study mine count --pattern diamond '$(GRAPH)'

test:
	@ci/setup.sh test
	@ci/test.sh
