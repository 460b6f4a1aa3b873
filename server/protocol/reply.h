// The answer to a request, which may be given later and from any thread.
//
// Ownership: move-only; whoever holds it owes the answer, which is given exactly once. One that is
// destroyed unanswered answers with an internal error, so no request is ever left open.
// Thread contract: one thread at a time; cancelled() may be called from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "server/protocol/response_error.h"

namespace gprof::lsp {

template <typename Result>
using Outcome = std::variant<Result, ResponseError>;

// Set when the client cancels a request, or disconnects.
using CancellationFlag = std::atomic<bool>;

template <typename Result>
class [[nodiscard]] Reply {
 public:
  // Called once, on the thread that answers.
  using Completion = std::function<void(Outcome<Result>)>;

  Reply() = default;  // owes nothing
  explicit Reply(Completion completion, std::shared_ptr<const CancellationFlag> cancelled = nullptr)
      : completion_(std::move(completion)), cancelled_(std::move(cancelled)) {}
  Reply(Reply&& other) noexcept
      : completion_(std::exchange(other.completion_, nullptr)),
        cancelled_(std::move(other.cancelled_)) {}
  Reply& operator=(Reply&& other) noexcept {
    if (this != &other) {
      abandon();
      completion_ = std::exchange(other.completion_, nullptr);
      cancelled_ = std::move(other.cancelled_);
    }
    return *this;
  }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  ~Reply() { abandon(); }

  // The second answer and later ones are ignored.
  void succeed(Result result) {
    finish(Outcome<Result>(std::in_place_index<0>, std::move(result)));
  }
  void fail(ResponseCode code, std::string message) {
    finish(Outcome<Result>(std::in_place_index<1>, ResponseError{code, std::move(message)}));
  }

  [[nodiscard]] bool pending() const { return completion_ != nullptr; }
  // The client no longer waits: stop working, any answer will do.
  [[nodiscard]] bool cancelled() const {
    return cancelled_ && cancelled_->load(std::memory_order_relaxed);
  }

 private:
  void finish(Outcome<Result> outcome) {
    if (auto completion = std::exchange(completion_, nullptr)) completion(std::move(outcome));
  }
  void abandon() {
    if (!pending()) return;
    fail(ResponseCode::internal_error, "The server dropped this request without an answer.");
  }

  Completion completion_;
  std::shared_ptr<const CancellationFlag> cancelled_;
};

}  // namespace gprof::lsp
