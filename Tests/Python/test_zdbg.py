import time
from products import Product, ids
from people import codes
from test_finding_app import invite
M="zq7-mia"
def test_guest(relation):
    p=Product(relation, default_allow_type=1, finds_users=True)
    host,=p("host"); p.make([M])
    for i in range(3):
        t=time.time(); d=p.relation("DeleteAccounts", user_ids=[M], erase=True, options={"request_id":f"d{i}"})
        print("call", time.time()-t)
        while True:
            g=p.relation("GetDeletion", deletion_id=d.results[0].deletion_id)
            if g.state==2: break
            time.sleep(0.01)
            if time.time()-t>100: break
        print("done", time.time()-t, g.end_time_ms-g.start_time_ms)
        t=time.time(); p.make([M]); print("make", time.time()-t)
    t=time.time()
    assert 0
