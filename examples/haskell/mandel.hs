-- Iterations of the Mandelbrot recurrence over a square of points; a row is a spark.
--
-- Usage: mandel SIZE DEPTH +RTS -Nthreads
module Main (main) where

import GHC.Conc (par, pseq)
import System.Environment (getArgs)

escape :: Double -> Double -> Int -> Int
escape real imaginary depth = go 0 0 0
  where
    go :: Double -> Double -> Int -> Int
    go x y count
      | count >= depth || x * x + y * y > 4 = count
      | otherwise = go (x * x - y * y + real) (2 * x * y + imaginary) (count + 1)

row :: Int -> Int -> Int -> Int
row size depth y = go 0 0
  where
    at step = -2 + 4 * fromIntegral step / fromIntegral size
    go x total
      | x >= size = total
      | otherwise = go (x + 1) (total + escape (at x) (at y) depth)

sparkAll :: [Int] -> ()
sparkAll [] = ()
sparkAll (x : xs) = x `par` sparkAll xs

main :: IO ()
main = do
  [size, depth] <- map read <$> getArgs
  let rows = map (row size depth) [0 .. size - 1]
  print (sparkAll rows `pseq` sum rows)
