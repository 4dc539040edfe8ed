# 400 pieces of work, five milliseconds each, for a loop that the threads of Julia share.
function work(seconds)
    stop = time_ns() + round(UInt64, 1e9 * seconds)
    while time_ns() < stop
    end
end

Threads.@threads for piece in 1:400
    work(0.005)
end
