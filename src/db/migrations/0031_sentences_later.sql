-- A product is first embedded as a whole, so that it is soon found by its meaning, and its sentences later. Until then its
-- `passages` are empty, and `text_hash` is of the whole texts alone: an older node takes that for another text and makes
-- everything, and a copy for pgvector is known to be out of date when the sentences come.
-- For the next piece of products without sentences (findWithoutSentences).
create index product_vectors_without_sentences on product_vectors (model, product_id) where passages = '';
