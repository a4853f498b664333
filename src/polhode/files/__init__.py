"""Reading and writing files safely, the cache on disk, and the digests that its entries are stored under."""
