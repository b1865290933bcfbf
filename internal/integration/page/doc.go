// Package page tests the pages of hotupdate plan and audit in a real Chromium: on a phone, on a
// desktop, with a dark colour scheme, and in print.
package page
