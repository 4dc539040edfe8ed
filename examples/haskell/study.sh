#!/bin/sh
# Runs a program of the GHC study with its size. Usage: study.sh sumeuler|parfib|mandel THREADS
case $1 in
    sumeuler) size="8000 10" ;;
    parfib) size="36 24" ;;
    mandel) size="512 1024" ;;
    *) echo "study.sh: $1: it is none of sumeuler, parfib, mandel" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086 # a size is two words
exec "$(dirname "$0")/../build/$1-ghc" $size +RTS -N"$2" -A64m
