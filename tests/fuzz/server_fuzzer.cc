// The whole server: the bytes of a client's stream, from the framing to the features, on a loaded
// profile. What the client says of its workspace and its settings is kept from the disk: the
// program is always the same seed of the DWARF corpus, with a profile made for it.
#include <cstdint>
#include <filesystem>
#include <fstream>

#include <asio/io_context.hpp>
#include <asio/post.hpp>

#include "engine/gmon/writer.h"
#include "engine/object/symbol_table.h"
#include "server/session/profile_service.h"
#include "server/session/session.h"
#include "tests/fuzz/require.h"

using namespace gprof;
using namespace gprof::lsp;
using gprof::test::require;

namespace {

namespace fs = std::filesystem;

// Every call into the next function, and samples everywhere.
RawProfile profile_of(const Image& image, const SymbolTable& symbols) {
  RawProfile raw;
  raw.rate = 100;
  const AddressRange code = image.code_range();
  raw.histograms.push_back({code.low, code.high, {}});
  raw.histograms.front().bins.assign((code.size() + 3) / 4, 1);
  for (SymbolIndex i = 0; i + 1 < symbols.size(); ++i) {
    raw.arcs.push_back({symbols[i].address + 8, symbols[i + 1].address, 7});
    raw.blocks.push_back({symbols[i].address, 3});
  }
  return raw;
}

struct Prepared {
  fs::path program = GPROF_LSP_FUZZ_PROGRAM;
  fs::path profile;

  Prepared() {
    const auto image = Image::open(program);
    require(image.has_value(), "the seed program opens");
    const auto symbols = SymbolTable::build(*image, nullptr, SymbolPolicy::full);
    require(symbols.has_value(), "the seed program has symbols");
    const auto bytes = write_gmon(profile_of(**image, *symbols), {});
    require(bytes.has_value(), "its profile is written");
    profile = fs::temp_directory_path() / "gprof-lsp-server-fuzzer.gmon.out";
    std::ofstream(profile, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes->data()),
               static_cast<std::streamsize>(bytes->size()));
  }
};

// The real service, synchronous, always with the prepared program.
class PreparedService : public ProfileService {
 public:
  explicit PreparedService(const Prepared& prepared) : prepared_(prepared) {}

  void start(ServiceContext context, ServiceEvents& events) override {
    context.workspace_folders.clear();
    context.settings.programs = programs();
    real_->start(std::move(context), events);
  }
  void update_settings(ClientSettings settings) override {
    settings.programs = programs();
    real_->update_settings(std::move(settings));
  }
  void update_workspace_folders(std::vector<fs::path>) override {}
  void watched_files_changed(std::vector<FileEvent> changes) override {
    real_->watched_files_changed(std::move(changes));
  }
  // A program that a client names may be anywhere on the disk.
  void update_choices(ProgramChoices) override {}
  void select(const std::string& program, Selection selection) override {
    real_->select(program, std::move(selection));
  }
  void reload() override { real_->reload(); }
  void run(DocumentView document, Job<FeatureContext&> job) override {
    real_->run(std::move(document), std::move(job));
  }
  void when_idle(unsigned looks, Job<> done) override { real_->when_idle(looks, std::move(done)); }
  [[nodiscard]] std::uint64_t jobs() const override { return real_->jobs(); }

 private:
  std::vector<ProgramSettings> programs() const {
    return {{prepared_.program.string(), {prepared_.profile.string()}, {}, {}}};
  }

  const Prepared& prepared_;
  std::unique_ptr<ProfileService> real_ = make_profile_service(0, {});
};

// A stream in memory: the input goes in, what the server says is dropped.
class MemoryConnection : public Connection {
 public:
  explicit MemoryConnection(asio::io_context& io) : io_(io) {}

  void start(Handlers handlers) override { handlers_ = std::move(handlers); }
  void send(std::string body) override { require(!body.empty(), "a message has a body"); }
  void close() override {
    if (closed_) return;
    closed_ = true;
    asio::post(io_, [this] { handlers_.closed(""); });
  }
  void abort() override { closed_ = true; }

  void feed(std::string_view bytes) {
    decoder_.feed(bytes);
    deliver(decoder_, handlers_);
  }
  void end() { handlers_.input_ended(""); }

 private:
  asio::io_context& io_;
  Handlers handlers_;
  FrameDecoder decoder_;
  bool closed_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Prepared prepared;
  asio::io_context io;
  auto connection = std::make_shared<MemoryConnection>(io);
  LanguageServerOptions options;
  options.parent_watch = ParentWatch::never;
  auto session =
      std::make_shared<Session>(io.get_executor(), connection,
                                std::make_unique<PreparedService>(prepared), options, [](int) {});
  session->start();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t piece = 512;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    connection->feed(bytes.substr(at, piece));
    io.poll();
    io.restart();
  }
  connection->end();
  io.poll();
  session->stop();
  io.restart();
  io.poll();
  return 0;
}
