// Work to be done once, on whatever thread takes it. Move-only, so that it may hold a Reply.
//
// Called once, or destroyed without having been called.
#pragma once

#include <memory>
#include <utility>

namespace gprof::lsp {

template <typename... Arguments>
class Job {
 public:
  template <typename Callable>
  Job(Callable callable) : body_(std::make_unique<Body<Callable>>(std::move(callable))) {}
  void operator()(Arguments... arguments) { body_->run(arguments...); }

 private:
  struct AnyBody {
    virtual ~AnyBody() = default;
    virtual void run(Arguments... arguments) = 0;
  };
  template <typename Callable>
  struct Body : AnyBody {
    explicit Body(Callable c) : callable(std::move(c)) {}
    void run(Arguments... arguments) override { callable(arguments...); }
    Callable callable;
  };
  std::unique_ptr<AnyBody> body_;
};

}  // namespace gprof::lsp
