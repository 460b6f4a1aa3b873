#include "runtime/unwind/loaded_object.h"

#include "runtime/system/loader.h"
#include "runtime/unwind/own_image.h"

namespace gprof_runtime {
namespace {

Bytes between(const void* begin, const void* end) {
  const auto* const first = static_cast<const std::uint8_t*>(begin);
  const auto* const last = static_cast<const std::uint8_t*>(end);
  return first < last ? Bytes(first, last) : Bytes{};
}

bool holds(Bytes bytes, const std::uint8_t* place) {
  return place >= bytes.data() && place < bytes.data() + bytes.size();
}

// The readable memory around the header. Of objects whose segments are apart from each other, which
// linkers and programs with huge pages make, the loader names one segment at a time.
Bytes mapping_of(const std::uint8_t* header, const struct dl_find_object& found) {
  if (header == nullptr) return {};
  const Bytes mapping = between(found.dlfo_map_start, found.dlfo_map_end);
  if (holds(mapping, header)) return mapping;
  struct dl_find_object around = {};
  if (!ask_loader(address_of(header), &around) || around.dlfo_eh_frame != header) return {};
  const Bytes other = between(around.dlfo_map_start, around.dlfo_map_end);
  return holds(other, header) ? other : Bytes{};
}

// In static programs libc knows only the bounds of the text, or nothing; the program headers have
// all of them.
void complete_from_own_image(std::uint64_t address, LoadedObject* object) {
  object->is_own_image = own_image::holds(address);
  if (!object->is_own_image) return;
  object->bytes = own_image::segment_of_frame_header();
  object->frame_header = own_image::frame_header();
}

}  // namespace

bool find_object(std::uint64_t address, LoadedObject* object) {
  *object = LoadedObject{};
  struct dl_find_object found = {};
  if (!ask_loader(address, &found)) {
    complete_from_own_image(address, object);
    return object->is_own_image;
  }
  const auto* const header = static_cast<const std::uint8_t*>(found.dlfo_eh_frame);
  const Bytes mapping = mapping_of(header, found);
  if (!mapping.empty()) {
    object->bytes = mapping;
    object->frame_header = header;
  } else {
    complete_from_own_image(address, object);
  }
  return true;
}

}  // namespace gprof_runtime
