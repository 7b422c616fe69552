package io.sluice.base.metadata;

/** Where the current image is read and its changes are heard. Safe on every thread. */
public interface ClusterImageSource {
    /** The newest image. */
    ClusterImage current();

    /** Adds a listener, which first hears the current image. */
    void addListener(ImageListener listener);

    /** Hears of new images, in order, on the metadata thread; must not block. */
    interface ImageListener {
        /** A new image stands. Changes applied together come as one. */
        void onImage(ClusterImage previous, ClusterImage current);
    }
}
