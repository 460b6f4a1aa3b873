// Connects the protocol's requests with the features that answer them: one line per method.
//
// A route says which document a request is about, and which function of the state answers it; the
// function runs on a worker. Adding a feature: its structures in protocol/, its
// pure function in features/, and its line in one of the files of this folder. Thread contract: the
// I/O thread, except for the answers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "server/report_documents/report_texts.h"
#include "server/session/dispatcher.h"
#include "server/session/profile_service.h"

namespace gprof::lsp {

// What routes need from the session; all of it must outlive the dispatcher's last message.
struct RouteContext {
  Dispatcher& dispatcher;
  ProfileService& service;
  // The document as it is when the request arrives.
  std::function<DocumentView(const DocumentUri&)> view;
  // For virtual documents.
  ReportTexts& reports;
};

void register_text_routes(const RouteContext& routes);        // lenses, hints, hovers, diagnostics
void register_navigation_routes(const RouteContext& routes);  // call hierarchy, references, symbols
void register_report_routes(const RouteContext& routes);      // reports as virtual documents
void register_extension_routes(const RouteContext& routes);   // gprof/…

// Call after a load: notifies the client of each virtual document whose text has changed.
void refresh_reports(ProfileService& service, ReportTexts& reports);

// The document of a request's parameters.
template <typename Params>
const DocumentUri& document_of(const Params& params) {
  return params.text_document.uri;
}
inline const DocumentUri& document_of(const CallHierarchyCallsParams& params) {
  return params.item.uri;
}

// Nothing where a function is named instead of a place.
inline const DocumentUri& document_of(const CallSitesParams& params) {
  static const DocumentUri none;
  return params.text_document ? params.text_document->uri : none;
}

// Whether an answer is about a position, which an edit may have moved.
template <typename Params>
concept AboutPosition = requires(const Params& params) {
  params.position;
};

// Whether an edit has made a request obsolete that is about to be answered. Requests for the whole
// text, or a part of it, are answered from the newest text, unless a newer request of the same
// method is waiting: that one gets the answer.
template <typename Params>
bool is_obsolete(const DocumentView& document, const std::string& method, std::uint64_t ticket) {
  if (!document.changed_since_request()) return false;
  return AboutPosition<Params> || !document.open->is_newest_ticket(method, ticket);
}

// `answer(context, params)` returns a Result or an Outcome<Result>.
template <typename Params, typename Result, typename Answer>
void route_document(const RouteContext& routes, const std::string& method, Answer answer) {
  routes.dispatcher.on_request<Params, Result>(
      method, [&service = routes.service, view = routes.view, method, answer](Params params,
                                                                              Reply<Result> reply) {
        const DocumentView document = view(document_of(params));
        const std::uint64_t ticket = document.open ? document.open->take_ticket(method) : 0;
        run_on_worker(service, document, std::move(reply),
                      [answer, document, method, ticket,
                       params = std::move(params)](FeatureContext& context) -> Outcome<Result> {
                        if (is_obsolete<Params>(document, method, ticket)) {
                          return ResponseError{ResponseCode::content_modified,
                                               "The document was changed meanwhile."};
                        }
                        return answer(context, params);
                      });
      });
}

// The document that a request may name but need not; empty if it names none.
template <typename Params>
DocumentUri named_document(const Params& params) {
  if constexpr (requires { params.text_document->uri; }) {
    if (params.text_document) return params.text_document->uri;
  }
  return {};
}

// The same for requests about programs, which no edit makes obsolete.
template <typename Params, typename Result, typename Answer>
void route_workspace(const RouteContext& routes, const std::string& method, Answer answer) {
  routes.dispatcher.on_request<Params, Result>(
      method,
      [&service = routes.service, view = routes.view, answer](Params params, Reply<Result> reply) {
        DocumentView document = view(named_document(params));
        run_on_worker(service, std::move(document), std::move(reply),
                      [answer, params = std::move(params)](FeatureContext& context) {
                        return answer(context, params);
                      });
      });
}

}  // namespace gprof::lsp
