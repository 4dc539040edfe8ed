-- Sum of Euler's totient over 1..n: chunks are sparked, and the main thread adds them up.
--
-- Usage: sumeuler N CHUNK +RTS -Nthreads
--
-- GHC evaluates lazily and, by default, marks a thunk as being evaluated only when its thread is next interrupted. The
-- main thread starts on the first chunk at the same moment as a worker that took its spark: both evaluate it, and
-- neither is interrupted inside a loop that allocates nothing. Built with -feager-blackholing the second one waits.
module Main (main) where

import GHC.Conc (par, pseq)
import System.Environment (getArgs)

totient :: Int -> Int
totient k = go 1 0
  where
    go other count
      | other > k = count
      | gcd' k other == 1 = go (other + 1) (count + 1)
      | otherwise = go (other + 1) (count :: Int)

gcd' :: Int -> Int -> Int
gcd' a 0 = a
gcd' a b = gcd' b (a `rem` b)

sumTotients :: Int -> Int -> Int
sumTotients low high = go low 0
  where
    go k total
      | k > high = total
      | otherwise = go (k + 1) (total + totient k)

chunks :: Int -> Int -> [Int]
chunks n size = [sumTotients low (min n (low + size - 1)) | low <- [1, 1 + size .. n]]

sparkAll :: [Int] -> ()
sparkAll [] = ()
sparkAll (x : xs) = x `par` sparkAll xs

main :: IO ()
main = do
  [n, size] <- map read <$> getArgs
  let parts = chunks n size
  print (sparkAll parts `pseq` sum parts)
