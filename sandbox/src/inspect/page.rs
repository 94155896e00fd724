//! The page, put together from its parts when the sandbox is compiled: one file, without a build step.

/// The page. Nothing in it is loaded from elsewhere.
pub(super) const PAGE: &str = concat!(
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Sandbox</title>\n<style>\n",
    include_str!("page/page.css"),
    "</style>\n</head>\n",
    include_str!("page/page.html"),
    "<script>\n'use strict';\n",
    include_str!("page/json.js"),
    include_str!("page/elements.js"),
    include_str!("page/requests.js"),
    include_str!("page/totals.js"),
    include_str!("page/chart.js"),
    include_str!("page/businesses.js"),
    include_str!("page/callbacks.js"),
    include_str!("page/faults.js"),
    include_str!("page/main.js"),
    "</script>\n</html>\n",
);
