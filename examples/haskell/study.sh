#!/bin/sh
# Runs a program of the GHC study with its size, or with another one. Usage: study.sh sumeuler|parfib|mandel THREADS [SIZE]
#
# Built with -feager-blackholing: otherwise two threads may evaluate the same expression, and what is measured is work
# that was done twice (studies/sumeuler-ghc.toml).
case $1 in
    sumeuler) size="8000 10" ;;
    parfib) size="40 24" ;;
    mandel) size="768 1024" ;;
    *) echo "study.sh: $1: it is none of sumeuler, parfib, mandel" >&2; exit 2 ;;
esac
name=$1 threads=$2
shift 2
# shellcheck disable=SC2086 # a size is two words
exec "$(dirname "$0")/../build/$name-ghc-eager" ${*:-$size} +RTS -N"$threads" -A64m
