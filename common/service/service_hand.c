/* SPDX-License-Identifier: Apache-2.0 */
/* service_hand.c - records that were fetched and are not finished, by partition, in the order in which they came. */
#include "common/service/service_private.h"

#include <stdlib.h>
#include <string.h>

static struct service_batch *
batch_of(struct service_hand *hand, int32_t partition)
{
	for (size_t i = 0; i < hand->count; i++)
		if (hand->batches[i].partition == partition)
			return &hand->batches[i];
	if (hand->count == hand->room) {
		hand->room = hand->room ? 2 * hand->room : 8;
		hand->batches = memory_grow(hand->batches, hand->room, sizeof *hand->batches);
	}
	hand->batches[hand->count] = (struct service_batch){.partition = partition};
	return &hand->batches[hand->count++];
}

static size_t
weight(const struct record *record)
{
	size_t sum = record->key_length + record->value_length;

	for (size_t i = 0; i < record->header_count; i++)
		sum += strlen(record->headers[i].name) + record->headers[i].length;
	return sum;
}

void
service_hand_add(struct service_hand *hand, struct bus_record *take_handle, const struct record *record)
{
	struct service_batch *batch = batch_of(hand, record->partition);

	if (batch->count == batch->room) {
		batch->room = batch->room ? 2 * batch->room : 64;
		batch->records = memory_grow(batch->records, batch->room, sizeof *batch->records);
		batch->handles = memory_grow(batch->handles, batch->room, sizeof *batch->handles);
	}
	batch->records[batch->count] = *record;
	batch->handles[batch->count] = take_handle;
	batch->count++;
	hand->records++;
	hand->bytes += weight(record);
}

size_t
service_batch_next(const struct service_batch *batch)
{
	size_t left = batch->count - batch->done, n = 0;

	if (batch->single)
		return 1;
	if (batch->unknown_end == 0)
		return left;
	while (n < left && batch->records[batch->done + n].offset < batch->unknown_end)
		n++;
	return n > 0 ? n : 1;
}

void
service_batch_unburden(struct service_batch *batch)
{
	error_clear(&batch->refusal);
	service_backoff_reset(&batch->backoff);
	batch->conflicts = 0;
	batch->not_before = 0;
	batch->away = false;
	batch->unknown_end = 0;
	batch->ask = false;
}

bool
service_hand_waits(const struct service_hand *hand)
{
	for (size_t i = 0; i < hand->count; i++)
		if (hand->batches[i].away)
			return true;
	return false;
}

void
service_hand_drop(struct service_hand *hand, size_t index)
{
	struct service_batch *batch = &hand->batches[index];

	for (size_t i = 0; i < batch->count; i++) {
		hand->bytes -= weight(&batch->records[i]);
		if (batch->handles[i])
			bus_release(batch->handles[i]);
	}
	hand->records -= batch->count;
	free(batch->records);
	free(batch->handles);
	hand->count--;
	memmove(batch, batch + 1, (hand->count - index) * sizeof *batch);
}

void
service_hand_clear(struct service_hand *hand)
{
	while (hand->count > 0)
		service_hand_drop(hand, hand->count - 1);
}

void
service_hand_close(struct service_hand *hand)
{
	service_hand_clear(hand);
	free(hand->batches);
	*hand = (struct service_hand){0};
}
