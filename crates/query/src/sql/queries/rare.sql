select
    l_shipmode,
    l_returnflag,
    count(*) as items,
    sum(l_extendedprice * (1 - l_discount)) as revenue
from lineitem
where l_extendedprice > 100300
    and l_discount >= 0.09
group by l_shipmode, l_returnflag
order by revenue desc
limit 5
