-- Binds the installation to a Kafka cluster, once.
UPDATE installation SET kafka_cluster = $1 WHERE kafka_cluster IS NULL RETURNING 1
