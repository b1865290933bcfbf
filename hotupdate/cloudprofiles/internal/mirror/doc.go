// Package mirror keeps a file up to date with the CloudProfiles and NamespacedCloudProfiles of a cluster.
//
// It owns the watches, the document and how the file is replaced. It must not know what CloudProfiles mean: hotupdate
// reads the file.
//
//   - The document is a List in JSON, sorted by kind, namespace and name, without managedFields. The same objects give
//     the same bytes, and then the file is not touched.
//   - A reader sees the former document or the new one: the new one is written beside the file and renamed.
//   - The file is first written when all objects are listed. While the API server does not answer, the file stays.
//   - A cluster that does not serve NamespacedCloudProfiles has none. One that does not serve CloudProfiles is the
//     wrong one, or its Gardener is not there yet: the file is not written.
package mirror
