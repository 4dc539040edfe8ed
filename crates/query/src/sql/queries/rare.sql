select
    l_shipmode,
    l_returnflag,
    count(*) as items,
    sum(l_extendedprice * (1 - l_discount)) as revenue
from lineitem
where l_quantity = 50
    and l_discount = 0.10
    and l_tax >= 0.07
    and l_linenumber >= 5
group by l_shipmode, l_returnflag
order by revenue desc
limit 5
