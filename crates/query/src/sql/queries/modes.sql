select
    l_shipmode,
    l_shipinstruct,
    l_linenumber,
    sum(l_quantity) as quantity,
    sum(l_extendedprice * (1 - l_discount)) as revenue,
    avg(l_tax) as tax,
    count(*) as items
from lineitem
group by l_shipmode, l_shipinstruct, l_linenumber
order by l_shipmode, l_shipinstruct, l_linenumber
