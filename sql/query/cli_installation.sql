-- What the installation is bound to.
SELECT chains::int8, kafka_cluster FROM installation
