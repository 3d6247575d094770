/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - lends a fetched message as a record: nothing is copied but the list of headers, nothing is judged. */
#include "common/bus/bus_private.h"

#include <assert.h>
#include <stdlib.h>

enum { RECORD_MAGIC = 0x43537265 };

struct bus_record {
	uint32_t magic;
	rd_kafka_message_t *message; /* owned */
	struct record_header headers[];
};

static size_t
count_headers(const rd_kafka_message_t *message, rd_kafka_headers_t **headers)
{
	return rd_kafka_message_headers(message, headers) == RD_KAFKA_RESP_ERR_NO_ERROR
		   ? rd_kafka_header_cnt(*headers)
		   : 0;
}

static void
set_time(const rd_kafka_message_t *message, struct record *record)
{
	rd_kafka_timestamp_type_t type;
	int64_t milliseconds = rd_kafka_message_timestamp(message, &type);

	/* a producer may have written any number */
	if (type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || milliseconds < 0)
		record->timestamp = -1;
	else
		record->timestamp = milliseconds > INT64_MAX / 1000 ? INT64_MAX : milliseconds * 1000;
	record->timestamp_is_append = type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME && record->timestamp >= 0;
}

void
bus_record_lend(rd_kafka_message_t *take_message, struct bus_poll *poll)
{
	rd_kafka_headers_t *headers = NULL;
	size_t count = count_headers(take_message, &headers);
	struct bus_record *handle = memory_take(sizeof *handle + count * sizeof *handle->headers);

	*handle = (struct bus_record){.magic = RECORD_MAGIC, .message = take_message};
	for (size_t i = 0; i < count; i++) {
		struct record_header *header = &handle->headers[i];

		rd_kafka_header_get_all(headers, i, &header->name, &header->value, &header->length);
	}
	poll->happening = BUS_RECORD;
	poll->handle = handle;
	poll->record = (struct record){
	    .topic = rd_kafka_topic_name(take_message->rkt),
	    .partition = take_message->partition,
	    .offset = take_message->offset,
	    .key = take_message->key,
	    .key_length = take_message->key_len,
	    .value = take_message->payload,
	    .value_length = take_message->len,
	    .headers = handle->headers,
	    .header_count = count,
	};
	set_time(take_message, &poll->record);
}

void
bus_release(struct bus_record *take_handle)
{
	if (!take_handle)
		return;
	assert(take_handle->magic == RECORD_MAGIC);
	take_handle->magic = 0;
	rd_kafka_message_destroy(take_handle->message);
	free(take_handle);
}
