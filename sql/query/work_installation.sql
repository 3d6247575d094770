-- What can never change for this database: how many chains, which Kafka cluster.
SELECT chains::int8, kafka_cluster
  FROM installation
