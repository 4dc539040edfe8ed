-- Eight threads of Haskell, dealt out to the capabilities, that work side by side.
import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad (forM, when)
import GHC.Clock (getMonotonicTime)

main :: IO ()
main = do
    done <- forM [0 .. 7] $ \number -> do
        end <- newEmptyMVar
        _ <- forkOn number $ do
            begin <- getMonotonicTime
            work (begin + 0.6) 1
            putMVar end ()
        pure end
    mapM_ takeMVar done

work :: Double -> Int -> IO ()
work end step = do
    _ <- evaluate (sum [step .. step + 10000])
    time <- getMonotonicTime
    when (time < end) (work end (step + 1))
