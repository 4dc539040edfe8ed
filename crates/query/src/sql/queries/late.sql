select
    l_shipmode,
    count(*) as items,
    sum(l_extendedprice) as price
from lineitem
where l_commitdate < l_receiptdate
    and l_shipdate < l_commitdate
    and l_shipmode in ('MAIL', 'SHIP', 'AIR')
group by l_shipmode
order by l_shipmode
