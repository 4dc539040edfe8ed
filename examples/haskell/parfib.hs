-- Calls of the naive Fibonacci function, sparked down to a threshold.
--
-- Usage: parfib N THRESHOLD +RTS -Nthreads
module Main (main) where

import GHC.Conc (par, pseq)
import System.Environment (getArgs)

nfib :: Int -> Int
nfib n
  | n < 2 = 1
  | otherwise = nfib (n - 1) + nfib (n - 2) + 1

parfib :: Int -> Int -> Int
parfib n threshold
  | n <= threshold = nfib n
  | otherwise = left `par` (right `pseq` (left + right + 1))
  where
    left = parfib (n - 1) threshold
    right = parfib (n - 2) threshold

main :: IO ()
main = do
  [n, threshold] <- map read <$> getArgs
  print (parfib n threshold)
