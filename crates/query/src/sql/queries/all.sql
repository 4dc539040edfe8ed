select
    count(*) as items,
    sum(l_quantity) as quantity,
    sum(l_extendedprice) as price,
    min(l_shipdate) as first,
    max(l_receiptdate) as last
from lineitem
where l_shipdate >= date '1970-01-01'
