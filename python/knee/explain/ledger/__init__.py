"""The ledger: the loss at one thread count in named parts that add up, and the causes that hold them.

With n threads and time T(n) the loss is M = ln(n·T(n) / T(1)). Its accounting has exact sums::

    M = ln(CPU(n) / CPU(1))           inflation: the same answer took more CPU time
      + ln(n·T(n) / CPU(n))           idle: threads did not compute
      - ln(T(1) / CPU(1))             what the one-thread run itself did not compute

Runs that change one thing (``knee study --explain``) divide inflation further. Let C(x) be the CPU time of such a run::

    inflation = ln(C(copies) / (n·CPU(1)))     the machine: copies share hardware and nothing else
              + ln(C(one cpu) / CPU(1))        more to do: it grows although only one thread runs at a time
              + the rest                       only side by side: it needs threads that run at the same time

Idle time is shared among its classes (``knee.store.records.idle``) in proportion to their thread-seconds: one thread
works, few work, nobody does, or threads wait for a cpu.

Signs are those of the losses: a negative part is a gain.
"""
