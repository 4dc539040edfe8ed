-- Two bound threads: they work side by side, then say where they may run.
import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad (replicateM, replicateM_, when)
import Data.List (isPrefixOf)
import GHC.Clock (getMonotonicTime)
import System.Directory (getSymbolicLinkTarget)
import System.IO (BufferMode (LineBuffering), hPutStr, hSetBuffering, stderr)

main :: IO ()
main = do
    hSetBuffering stderr LineBuffering
    there <- newEmptyMVar
    go <- newEmptyMVar
    done <- replicateM 2 (start there go)
    replicateM_ 2 (takeMVar there)
    putMVar go ()
    mapM_ takeMVar done
    say "main"

-- Neither begins before both exist: the scheduler would run one after the other.
start :: MVar () -> MVar () -> IO (MVar ())
start there go = do
    done <- newEmptyMVar
    _ <- forkOS $ do
        putMVar there ()
        readMVar go
        begin <- getMonotonicTime
        work (begin + 0.4) 1
        say "worker"
        putMVar done ()
    pure done

work :: Double -> Int -> IO ()
work end step = do
    _ <- evaluate (sum [step .. step + 10000])
    time <- getMonotonicTime
    when (time < end) (work end (step + 1))

say :: String -> IO ()
say role = do
    link <- getSymbolicLinkTarget "/proc/thread-self"
    status <- readFile "/proc/thread-self/status"
    let tid = reverse (takeWhile (/= '/') (reverse link))
        cpus = [drop 19 line | line <- lines status, "Cpus_allowed_list:" `isPrefixOf` line]
    hPutStr stderr (role ++ " " ++ tid ++ " " ++ concat cpus ++ "\n")
