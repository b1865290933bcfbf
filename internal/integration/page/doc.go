// Package page tests the pages of hotupdate plan and audit in a real Chromium: on a phone, on a
// desktop, by night and on paper.
package page
