// The properties of a table as its properties block has them: the one list of their names (spec/table.md).
#pragma once

#include "bloomery/table/table.h"
#include "table/block.h"
#include "table/format.h"

namespace BLOOMERY_NAMESPACE::table {

// The contents of the properties block. `prefixes` is where the filter of prefixes lies, if there is one.
std::string encode_properties(const TableProperties& properties, const Handle& prefixes);

// Reads them back; names it does not know are left alone.
Status decode_properties(std::string_view contents, TableProperties& properties, Handle& prefixes);

}  // namespace BLOOMERY_NAMESPACE::table
