// Filters as files, bytes, pickles and buffers: the doors of class Filter that take and give bytes.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "filter.h"

namespace bloomery::python {

PyFilter* open_filter(nb::handle path, nb::handle secret, bool parquet);
PyFilter* map_filter(nb::handle path, bool verify, nb::handle secret, bool parquet);
PyFilter* filter_from_bytes(nb::handle data, nb::handle secret, bool parquet);
void save_filter(PyFilter& filter, nb::handle path, nb::handle label, nb::handle keys, bool chunks,
                 std::string_view format);
nb::bytes filter_to_bytes(PyFilter& filter, std::string_view format);

// A pickle is the head of the envelope, which is the bytes before the payload, and, as a buffer of its own, the
// payload.
nb::bytes envelope_head(PyFilter& filter);
// Returns head and payload of one state of the filter.
nb::tuple envelope_parts(PyFilter& filter);
PyFilter* filter_from_parts(nb::handle head, nb::handle payload, nb::handle secret);

// Pieces of the payload, of one state of the filter: the first bytes, `most` of them, of each of so many columns.
nb::list pieces_along(PyFilter& filter, std::size_t columns, std::size_t most);

// The buffer protocol: the payload, read-only. Slots of the type.
int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept;
void release_buffer(PyObject* self, Py_buffer* view) noexcept;

}  // namespace bloomery::python
