-- What waits for the operators is counted on each of their pages, and read oldest first.
create index product_relationships_waiting on product_relationships (created_at) where status = 'pending';
